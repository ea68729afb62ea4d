/** The types that an attribute's value can have; used as `t.…` by the tables in schema/. */
export * from './value-types/expressions.js';
export * from './value-types/network.js';
export * from './value-types/plain.js';
export * from './value-types/times.js';
export { listOf, type Parsed, type ValueType } from './value-types/value-type.js';
