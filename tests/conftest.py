"""What all tests share."""

import pytest
from front_jobs import careless, front, nop, pocket, reference, refused, shipped_pocket
from hypothesis import settings

__all__ = ["careless", "front", "nop", "pocket", "reference", "refused", "shipped_pocket"]

# Machines under load are slow now and then; a slow example is no failure.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"
