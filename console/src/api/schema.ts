/** The API types of the package's client. */
export type * from '../../../client/schema.js';
