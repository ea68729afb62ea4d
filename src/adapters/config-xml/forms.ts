/** Describes all elements and attributes of the configuration in the form that input forms require. */

import type { TypeWithOptions } from '../../domain/options.js';
import { type AttributeSpec, type ElementSpec, NAMESPACES } from './schema/spec.js';
import { ELEMENTS } from './schema.js';

export const createElementForms = () => [...ELEMENTS.values()].map(toElementForm);

const toElementForm = ({ name, vocabulary, meaning, children, once, text, attributes, types }: ElementSpec) => ({
  name,
  namespace: NAMESPACES[vocabulary][0],
  meaning,
  children,
  once,
  text,
  attributes: Object.entries(attributes).map(([attribute, spec]) => toAttributeForm(attribute, spec)),
  types: types && Object.entries(types).map(([type, row]) => toTypeForm(type, row)),
});

const toTypeForm = (name: string, { label = name, example, options }: TypeWithOptions) => ({
  name,
  label,
  example,
  attributes: Object.keys(options),
  required: Object.keys(options).filter((option) => options[option]?.required),
});

const toAttributeForm = (name: string, spec: AttributeSpec<unknown>) => ({
  name,
  meaning: spec.meaning,
  form: spec.type.label,
  choices: spec.type.choices,
  default: spec.default,
  unit: spec.unit,
  required: spec.required ?? false,
  secret: spec.secret ?? false,
  aliases: spec.aliases ?? [],
});
