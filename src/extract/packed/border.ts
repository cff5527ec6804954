/** Stands between the bytes of two members of a zip; known by its identity. */
export const border: Buffer = Buffer.alloc(0);
