"""Validation before any matrix, writer validation, oracle strength, doctor."""
