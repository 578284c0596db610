"""The stress."""
