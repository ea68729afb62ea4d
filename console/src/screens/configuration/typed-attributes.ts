import type { ElementFormDto } from '../../api/schema.js';

type Attribute = ElementFormDto['attributes'][number];

interface TypedAttributes {
  /** Attributes of elements of every type. */
  readonly shared: readonly Attribute[];
  /** Attributes that elements of this type have and others may lack. */
  readonly own: readonly Attribute[];
}

/** Divides the attributes of an element; those that only other types have are left out. */
export function divideAttributes(form: ElementFormDto, typeName: string | undefined): TypedAttributes {
  const type = form.types?.find(({ name }) => name === typeName);
  if (!type) return { shared: form.attributes, own: [] };
  const typedNames = new Set(form.types?.flatMap(({ attributes }) => attributes));
  return {
    shared: form.attributes.filter(({ name }) => !typedNames.has(name)),
    own: form.attributes
      .filter(({ name }) => type.attributes.includes(name))
      .map((attribute) => ({ ...attribute, required: type.required.includes(attribute.name) })),
  };
}
