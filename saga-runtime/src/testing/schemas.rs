//! Schemas: placeholder, filled below.
