import { integer, ownSchema } from './schema.js';

export const countSchema = ownSchema('Count', { count: integer(3, 'Number of items affected.', { minimum: 0 }) });
