/** Adds an example to every request and response of the API description, put together from the examples of its fields. */
import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: unknown;
}

export function addExamples({ paths, webhooks, components }: OpenAPIObject): void {
  const builder = new ExampleBuilder((components?.schemas ?? {}) as Record<string, Schema>);
  const visit = (node: object): void => {
    if ('content' in node && typeof node.content === 'object') {
      const contents = Object.entries(node.content as Record<string, Media>);
      // The responses of many calls share one object, so each gets a copy.
      const content = Object.fromEntries(contents.map(([type, media]) => [type, builder.withExample(type, media)]));
      Object.assign(node, { content });
      return;
    }
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) visit(child);
  };
  visit([paths, webhooks, components?.responses]);
}

export class ExampleBuilder {
  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  withExample(mediaType: string, media: Media): Media {
    if (!media.schema || media.example !== undefined || media.examples !== undefined) return media;
    const { oneOf } = media.schema;
    // A body that is not JSON is a string.
    const isText = !mediaType.endsWith('json');
    const schema = oneOf?.find(({ type }) => (type === 'string') === isText) ?? media.schema;
    return { ...media, example: this.createExample(schema, mediaType) };
  }

  /** @throws Error with the name if neither the schema nor its parts have an example */
  createExample(schema: Schema, name: string): unknown {
    const { $ref, example, default: usual, enum: values, oneOf, allOf, properties, items, type } = schema;
    if ($ref !== undefined) {
      const target = $ref.slice($ref.lastIndexOf('/') + 1);
      return this.createExample(this.schemas[target]!, target);
    }
    const ownExample = example ?? usual ?? values?.[0];
    if (ownExample !== undefined) return ownExample;
    if (oneOf) return this.createExample(oneOf[0]!, name);
    if (allOf) return Object.assign({}, ...allOf.map((part) => this.createExample(part, name)));
    if (properties)
      return Object.fromEntries(
        Object.entries(properties).map(([field, value]) => [field, this.createExample(value, `${name}.${field}`)]),
      );
    if (items) return [this.createExample(items, name)];
    if (type === 'boolean') return true;
    throw new Error(`${name} has no example.`);
  }
}
