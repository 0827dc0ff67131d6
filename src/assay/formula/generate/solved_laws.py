"""Laws of physics solved for another of their variables: who knows the law by heart has not seen these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assay.formula.equivalence.sampling import parse_domain

__all__ = ["SOLVED_LAWS", "SolvedLaw"]


class SolvedLaw(NamedTuple):
    """One variable of a law as a formula of the others and of what the law gives, with a range for each.

    ``output`` is the name of what the law gives; every formula is finite and real on its whole box.
    """

    law: str  # of LAWS
    output: str
    variable: str
    formula: str
    ranges: str

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """The ranges as a box."""
        return parse_domain(self.ranges)


_FORMS: Mapping[str, tuple[str, tuple[tuple[str, str, str], ...]]] = {
    "kinetic energy": (
        "E",
        (("m", "2*E/v**2", "E=1:40,v=1:5"), ("v", "sqrt(2*E/m)", "E=1:40,m=1:5")),
    ),
    "spring energy": (
        "E",
        (("k", "2*E/x**2", "E=1:20,x=0.5:3"), ("x", "sqrt(2*E/k)", "E=1:20,k=1:5")),
    ),
    "gravitation between masses": (
        "F",
        (
            ("m1", "F*r**2/(G*m2)", "F=1:20,r=1:3,G=1:2,m2=1:5"),
            ("r", "sqrt(G*m1*m2/F)", "G=1:2,m1=1:5,m2=1:5,F=1:20"),
            ("G", "F*r**2/(m1*m2)", "F=1:20,r=1:3,m1=1:5,m2=1:5"),
        ),
    ),
    "Coulomb's law": (
        "F",
        (
            ("q1", "4*pi*epsilon*F*r**2/q2", "epsilon=1:3,F=0.1:1,r=1:3,q2=1:5"),
            ("epsilon", "q1*q2/(4*pi*F*r**2)", "q1=1:5,q2=1:5,F=0.1:1,r=1:3"),
            ("r", "sqrt(q1*q2/(4*pi*epsilon*F))", "q1=1:5,q2=1:5,epsilon=1:3,F=0.1:1"),
        ),
    ),
    "capacitor energy": (
        "W",
        (("C", "q**2/(2*W)", "q=1:5,W=0.5:5"), ("q", "sqrt(2*C*W)", "C=0.05:5,W=0.05:5")),
    ),
    "Ohm's law with inner resistance": (
        "I",
        (("R", "U/I - r", "U=3:12,I=0.4:2,r=0.2:5"), ("U", "I*(R + r)", "I=0.4:4,R=1:5,r=0.2:4")),
    ),
    "charging capacitor": (
        "V",
        (
            ("t", "-R*C*log(1 - V/U)", "R=1:3,C=1:3,V=0.5:3,U=4:12"),
            ("U", "V/(1 - exp(-t/(R*C)))", "V=0.5:3,t=0.2:3,R=1:3,C=1:3"),
            ("R", "-t/(C*log(1 - V/U))", "t=0.2:3,C=1:3,V=0.5:3,U=4:12"),
        ),
    ),
    "pendulum period": (
        "T",
        (("L", "g*T**2/(4*pi**2)", "g=1.6:25,T=1:5"), ("g", "4*pi**2*L/T**2", "L=0.5:5,T=1:5")),
    ),
    "free fall with initial speed": (
        "s",
        (
            ("v", "(s - h + g*t**2/2)/t", "s=5:50,h=10:50,g=1.6:12,t=0.5:3"),
            ("g", "2*(h + v*t - s)/t**2", "h=10:50,v=-5:5,t=0.5:3,s=5:50"),
        ),
    ),
    "projectile range": (
        "d",
        (
            ("v", "sqrt(d*g/sin(2*theta))", "d=1:10,g=1.6:12,theta=0.2:1.3"),
            ("g", "v**2*sin(2*theta)/d", "v=1:10,theta=0.2:1.4,d=1:10"),
        ),
    ),
    "damped oscillation": (
        "x",
        (
            ("A", "x*exp(gamma*t)/cos(omega*t)", "x=0.5:3,gamma=0.1:1,t=0.1:2,omega=0.2:0.6"),
            ("gamma", "log(A*cos(omega*t)/x)/t", "A=3:6,omega=0.2:0.6,t=0.5:2,x=0.3:1"),
        ),
    ),
    "centripetal force": (
        "F",
        (
            ("r", "m*v**2/F", "m=1:5,v=1:5,F=1:10"),
            ("v", "sqrt(F*r/m)", "F=1:10,r=1:5,m=1:5"),
            ("m", "F*r/v**2", "F=1:10,r=1:5,v=1:5"),
        ),
    ),
    "centre of mass": (
        "X",
        (
            ("m1", "m2*(x2 - X)/(X - x1)", "m2=1:5,x2=3:5,X=0.5:2,x1=-3:-0.5"),
            ("x1", "(X*(m1 + m2) - m2*x2)/m1", "X=0.5:2,m1=1:5,m2=1:5,x2=-3:3"),
        ),
    ),
    "relativistic mass": (
        "M",
        (
            ("m", "M*sqrt(1 - v**2/c**2)", "M=4:7,v=1:4.9,c=5:8"),
            ("v", "c*sqrt(1 - m**2/M**2)", "c=5:8,m=1:3.98,M=4:5"),
            ("c", "v/sqrt(1 - m**2/M**2)", "v=1:3,m=1:3.8,M=4:8"),
        ),
    ),
    "ideal gas": (
        "p",
        (
            ("T", "p*V/(n*R)", "p=1:10,V=1:5,n=1:5,R=1:3"),
            ("V", "n*R*T/p", "n=1:5,R=1:3,T=1:5,p=1:10"),
            ("n", "p*V/(R*T)", "p=1:10,V=1:5,R=1:3,T=1:5"),
        ),
    ),
    "van der Waals gas": (
        "p",
        (
            ("T", "(p + a/V**2)*(V - b)/R", "p=0.5:4,a=0.5:6,V=1:4,b=0.1:0.8,R=1:3"),
            ("a", "(R*T/(V - b) - p)*V**2", "R=1:3,T=1:5,V=2:5,b=0.1:0.8,p=0.2:3"),
        ),
    ),
    "barometric formula": (
        "P",
        (
            ("h", "k*T*log(p/P)/(m*g)", "k=1:2,T=1:3,p=3:6,P=0.5:2.5,m=0.5:2,g=1:3"),
            ("T", "m*g*h/(k*log(p/P))", "m=0.5:2,g=1:3,h=0.1:2,k=1:2,p=3:6,P=0.5:2"),
            ("p", "P*exp(m*g*h/(k*T))", "P=0.5:2.5,m=0.5:2,g=1:3,h=0.1:1,k=1:2,T=1:3"),
        ),
    ),
    "Boltzmann factor": (
        "w",
        (("E", "-k*T*log(w)", "k=1:2,T=1:4,w=0.05:0.9"), ("T", "-E/(k*log(w))", "E=0.5:4,k=1:2,w=0.05:0.7")),
    ),
    "Arrhenius rate": (
        "r",
        (
            ("E", "R*T*log(A/r)", "R=1:2,T=1:4,A=3:6,r=0.5:2.5"),
            ("T", "E/(R*log(A/r))", "E=1:4,R=1:2,A=3:6,r=0.5:2"),
            ("A", "r*exp(E/(R*T))", "r=0.5:2.5,E=1:3,R=1:2,T=1:4"),
        ),
    ),
    "Nernst potential": (
        "V",
        (
            ("T", "V*F/(R*log(c1/c2))", "V=1:5,F=1:3,R=1:3,c1=3:8,c2=0.5:1.5"),
            ("c1", "c2*exp(V*F/(R*T))", "c2=0.5:1.5,V=0.5:2,F=1:2,R=1:3,T=1:5"),
            ("F", "R*T*log(c1/c2)/V", "R=1:3,T=1:5,c1=2:8,c2=0.5:1.5,V=1:5"),
        ),
    ),
    "Michaelis-Menten kinetics": (
        "v",
        (
            ("K", "S*(V - v)/v", "S=0.2:8,V=3:6,v=0.5:2.5"),
            ("S", "K*v/(V - v)", "K=0.5:4,v=0.5:2.5,V=3:6"),
            ("V", "v*(K + S)/S", "v=0.5:2.5,K=0.5:4,S=0.4:4"),
        ),
    ),
    "Hill equation": (
        "f",
        (("K", "S*sqrt((1 - f)/f)", "S=0.2:6,f=0.05:0.9"), ("S", "K*sqrt(f/(1 - f))", "K=0.5:4,f=0.1:0.95")),
    ),
    "logistic growth": (
        "P",
        (
            ("t", "s + log(P/(K - P))/r", "s=0:2,P=0.2:3.8,K=4:6,r=0.3:1.5"),
            ("K", "P*(1 + exp(-r*(t - s)))", "P=0.5:3.5,r=0.5:2,t=-1:3,s=0:2"),
        ),
    ),
    "predator's functional response": (
        "f",
        (
            ("N", "f/(a*(1 - h*f))", "f=0.2:1.2,a=0.3:2,h=0.2:0.7"),
            ("h", "1/f - 1/(a*N)", "f=0.3:1.5,a=0.2:2,N=0.5:4"),
        ),
    ),
    "thin lens": (
        "b",
        (("f", "1/(1/b + 1/d)", "b=0.3:8,d=0.3:8"), ("d", "1/(1/f - 1/b)", "f=1:2,b=2.2:6")),
    ),
    "Doppler effect": (
        "F",
        (
            ("u", "F*(c - v)/f - c", "F=2:6,c=5:10,v=0.2:3,f=1:5"),
            ("c", "(f*u + F*v)/(F - f)", "f=1:4,u=0.2:2,F=5:9,v=0.2:2"),
            ("f", "F*(c - v)/(c + u)", "F=1:6,c=5:10,v=0.2:4,u=0.2:6"),
        ),
    ),
    "Bernoulli's pressure": (
        "P",
        (
            ("rho", "(P - p)/(v**2/2 + g*h)", "P=10:60,p=1:9,v=1:5,g=1:3,h=0.5:4"),
            ("h", "(P - p - rho*v**2/2)/(rho*g)", "P=40:60,p=1:9,rho=1:3,v=1:5,g=1:3"),
        ),
    ),
    "heat radiation between bodies": (
        "P",
        (
            ("sigma", "P/(A*(T**4 - S**4))", "P=5:60,A=1:3,T=2:3,S=0.5:1.8"),
            ("T", "sqrt(sqrt(P/(sigma*A) + S**4))", "P=1:40,sigma=0.5:2,A=1:3,S=0.5:2.4"),
        ),
    ),
    "Lorentz force": (
        "F",
        (
            ("B", "(F/q - E)/(v*sin(theta))", "F=5:40,q=1:5,E=1:5,v=1:5,theta=0.3:2.5"),
            ("q", "F/(E + B*v*sin(theta))", "F=5:40,E=1:5,B=1:5,v=1:5,theta=0.2:2.5"),
        ),
    ),
}

SOLVED_LAWS: tuple[SolvedLaw, ...] = tuple(
    SolvedLaw(law, output, *form) for law, (output, forms) in _FORMS.items() for form in forms
)
