"""The version of Assay: read by the package's own modules, which must not import the front door."""

__all__ = ["__version__"]

__version__ = "0.2.0"
