/**
 * The table of all elements and attributes of CrawlConfig.xml. The reader uses it, and the XML Schema and
 * docs/reference.md are generated from it. Its parts are in the folder schema.
 */
import type { TypeWithOptions } from '../../domain/options.js';
import * as content from './schema/content.js';
import * as crawl from './schema/crawl.js';
import * as errors from './schema/errors.js';
import * as logins from './schema/logins.js';
import * as plugin from './schema/plugin.js';
import * as policy from './schema/policy.js';
import * as rules from './schema/rules.js';
import * as schedule from './schema/schedule.js';
import * as server from './schema/server.js';
import * as sink from './schema/sink.js';
import { type AttributeSpec, type ElementSpec, NAMESPACES } from './schema/spec.js';

const isElement = (value: unknown): value is ElementSpec =>
  typeof value === 'object' && value !== null && 'vocabulary' in value;

const allSpecs = [crawl, rules, policy, errors, schedule, content, server, plugin, sink, logins].flatMap((part) =>
  Object.values<unknown>(part).flat().filter(isElement),
);

const specByName = new Map(allSpecs.map((spec) => [spec.name, spec]));

/** Adds the element and those that it holds. The exports of a module have no order of their own. */
function addInOrder(elements: Map<string, ElementSpec>, name: string): Map<string, ElementSpec> {
  const spec = specByName.get(name);
  if (spec && !elements.has(name)) spec.children.reduce(addInOrder, elements.set(name, spec));
  return elements;
}

/** Every element by name, in the order of the reference: as they hold each other. */
export const ELEMENTS: ReadonlyMap<string, ElementSpec> = addInOrder(new Map(), 'CrawlConfig');

export function getElementSpec(name: string): ElementSpec {
  const spec = ELEMENTS.get(name);
  if (!spec) throw new Error(`the table has no element ${name}`);
  return spec;
}

/** Describes all elements and attributes of the configuration in the form that input forms require. */
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
