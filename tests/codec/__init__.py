"""Everything encoded is decoded without loss."""
