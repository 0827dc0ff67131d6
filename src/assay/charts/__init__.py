"""The small SVG kit that every picture uses: axes, scales, marks, legends, one colour per subject."""

from assay.charts.drawing import LEFT, WIDTH, Drawing
from assay.charts.scale import Scale, number
from assay.charts.styles import subject_numbers

__all__ = ["LEFT", "WIDTH", "Drawing", "Scale", "number", "subject_numbers"]
