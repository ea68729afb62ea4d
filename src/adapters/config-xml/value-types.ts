/** The types of attribute values; the tables in schema/ import them as `t`. */
export * from './value-types/expressions.js';
export * from './value-types/network.js';
export * from './value-types/plain.js';
export { listOf, type Parsed, type ValueType } from './value-types/value-type.js';
