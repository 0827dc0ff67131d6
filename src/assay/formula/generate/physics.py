"""Classical formulas of physics, chemistry and biology, each with variables and ranges in which it makes sense."""

from __future__ import annotations

from typing import NamedTuple

from assay.formula.equivalence.sampling import parse_domain

__all__ = ["LAWS", "Law"]


class Law(NamedTuple):
    """A formula from the literature: what it is called, its text, and the range of every variable."""

    name: str
    formula: str
    ranges: str

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """The ranges as a box."""
        return parse_domain(self.ranges)


LAWS: tuple[Law, ...] = (
    Law("kinetic energy", "m*v**2/2", "m=1:5,v=1:5"),
    Law("kinetic energy in space", "m*(u**2 + v**2 + w**2)/2", "m=1:5,u=1:5,v=1:5,w=1:5"),
    Law("spring energy", "k*x**2/2", "k=1:5,x=-3:3"),
    Law("gravitation between masses", "G*m1*m2/r**2", "G=1:2,m1=1:5,m2=1:5,r=1:3"),
    Law("gravitational potential difference", "G*m*M*(1/r2 - 1/r1)", "G=1:2,m=1:5,M=1:5,r1=1:3,r2=1:3"),
    Law("Coulomb's law", "q1*q2/(4*pi*epsilon*r**2)", "q1=1:5,q2=1:5,epsilon=1:3,r=1:3"),
    Law("field of a point charge", "q/(4*pi*epsilon*r**2)", "q=1:5,epsilon=1:3,r=1:3"),
    Law("capacitor energy", "q**2/(2*C)", "q=1:5,C=1:5"),
    Law("Lorentz force", "q*(E + B*v*sin(theta))", "q=1:5,E=1:5,B=1:5,v=1:5,theta=0.2:2.5"),
    Law("Ohm's law with inner resistance", "U/(R + r)", "U=1:12,R=1:5,r=0.2:2"),
    Law("parallel resistors", "R1*R2/(R1 + R2)", "R1=1:10,R2=1:10"),
    Law("charging capacitor", "U*(1 - exp(-t/(R*C)))", "U=1:12,t=0.1:3,R=1:3,C=1:3"),
    Law("pendulum period", "2*pi*sqrt(L/g)", "L=0.5:5,g=1.6:25"),
    Law("free fall with initial speed", "h + v*t - g*t**2/2", "h=10:50,v=-5:5,t=0.5:3,g=1.6:12"),
    Law("projectile range", "v**2*sin(2*theta)/g", "v=1:10,theta=0.2:1.4,g=1.6:12"),
    Law("damped oscillation", "A*exp(-gamma*t)*cos(omega*t)", "A=1:5,gamma=0.1:1,t=0:3,omega=1:3"),
    Law("centripetal force", "m*v**2/r", "m=1:5,v=1:5,r=1:5"),
    Law("torque", "r*F*sin(theta)", "r=1:5,F=1:5,theta=0.2:2.5"),
    Law("angular momentum", "m*r*v*sin(theta)", "m=1:5,r=1:5,v=1:5,theta=0.2:2.5"),
    Law("centre of mass", "(m1*x1 + m2*x2)/(m1 + m2)", "m1=1:5,m2=1:5,x1=-3:3,x2=-3:3"),
    Law("distance in the plane", "sqrt((x2 - x1)**2 + (y2 - y1)**2)", "x1=1:5,x2=6:10,y1=1:5,y2=1:5"),
    Law("law of cosines", "sqrt(a**2 + b**2 - 2*a*b*cos(theta))", "a=1:5,b=1:5,theta=0.3:2.8"),
    Law("relativistic mass", "m/sqrt(1 - v**2/c**2)", "m=1:5,v=1:2,c=4:10"),
    Law("relativistic addition of speeds", "(u + v)/(1 + u*v/c**2)", "u=1:3,v=1:3,c=3:6"),
    Law("relativistic energy", "sqrt(p**2*c**2 + m**2*c**4)", "p=1:5,c=1:2,m=1:3"),
    Law("ideal gas", "n*R*T/V", "n=1:5,R=1:3,T=1:5,V=1:5"),
    Law("van der Waals gas", "R*T/(V - b) - a/V**2", "R=1:3,T=1:5,V=2:5,b=0.1:0.8,a=0.5:3"),
    Law("barometric formula", "p*exp(-m*g*h/(k*T))", "p=1:5,m=0.5:2,g=1:3,h=0.1:2,k=1:2,T=1:3"),
    Law("Boltzmann factor", "exp(-E/(k*T))", "E=0.5:4,k=1:2,T=1:4"),
    Law("Planck occupation", "1/(exp(h*f/(k*T)) - 1)", "h=1:2,f=0.5:3,k=1:2,T=1:4"),
    Law("Arrhenius rate", "A*exp(-E/(R*T))", "A=1:5,E=1:4,R=1:2,T=1:4"),
    Law("Nernst potential", "R*T*log(c1/c2)/F", "R=1:3,T=1:5,c1=2:8,c2=0.5:1.5,F=1:3"),
    Law("Michaelis-Menten kinetics", "V*S/(K + S)", "V=1:5,S=0.2:8,K=0.5:4"),
    Law("Hill equation", "S**2/(K**2 + S**2)", "S=0.2:6,K=0.5:4"),
    Law("logistic growth", "K/(1 + exp(-r*(t - s)))", "K=1:5,r=0.5:2,t=-2:4,s=0:2"),
    Law("predator's functional response", "a*N/(1 + a*h*N)", "a=0.2:2,N=0.5:8,h=0.2:1.5"),
    Law("thin lens", "1/(1/f - 1/d)", "f=1:2,d=3:8"),
    Law("diffraction grating", "I0*(sin(n*theta/2)/sin(theta/2))**2", "I0=1:5,n=2:4,theta=0.3:2.5"),
    Law("interference of two waves", "I1 + I2 + 2*sqrt(I1*I2)*cos(delta)", "I1=1:5,I2=1:5,delta=0.2:6"),
    Law("Doppler effect", "f*(c + u)/(c - v)", "f=1:5,c=5:10,u=0.2:2,v=0.2:2"),
    Law("Bernoulli's pressure", "p + rho*v**2/2 + rho*g*h", "p=1:5,rho=1:3,v=1:5,g=1:3,h=0.5:4"),
    Law("Stokes drag", "6*pi*eta*r*v", "eta=0.5:3,r=0.5:3,v=0.5:3"),
    Law("heat radiation between bodies", "sigma*A*(T**4 - S**4)", "sigma=0.5:2,A=1:3,T=1.5:3,S=0.5:1.4"),
    Law("Gaussian", "exp(-((x - mu)/s)**2/2)/(s*sqrt(2*pi))", "x=-2:2,mu=-1:1,s=0.8:2"),
)
