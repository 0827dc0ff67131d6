"""The version of Assay: read by the package's own modules, which must not import the front door."""

__all__ = ["DISTRIBUTION", "__version__"]

__version__ = "0.2.0"
DISTRIBUTION = "assay-discovery"  # the name in the package's metadata; "assay" may be somebody else's on an index
