"""The small SVG kit that every picture uses: axes, scales, marks, legends, one colour per subject."""

from assay.charts.critical_difference import critical_difference
from assay.charts.drawing import Drawing
from assay.charts.marks import Mark, subject_marks
from assay.charts.mathml import to_mathml
from assay.charts.scale import Scale
from assay.charts.styles import subject_numbers

__all__ = ["Drawing", "Mark", "Scale", "critical_difference", "subject_marks", "subject_numbers", "to_mathml"]
