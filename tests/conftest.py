"""What all tests share."""

import pytest
from hypothesis import settings

# Machines under load are slow now and then; a slow example is no failure.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"
