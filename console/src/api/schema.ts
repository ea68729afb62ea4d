/** The types of the API, as the package's client has them. */
export type * from '../../../client/schema.js';
