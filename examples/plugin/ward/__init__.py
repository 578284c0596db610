"""A plug-in of Snellen: one member of each family, each in a file of its own."""
