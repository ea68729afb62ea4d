import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import { SinkUnavailable, SinkUnsuitable } from '../../engine/ports/sink.js';
import { asRecord, asString } from './answers.js';
import { countForeignHits, parseJsonObject } from './elasticsearch-foreign.js';
import {
  buildIndexBody,
  findMissingFields,
  findSchemaFaults,
  findTakenFields,
  type SearchDialect,
} from './elasticsearch-schema.js';
import { isSuccess, type SinkClient, type SinkRequest, type SinkResponse } from './sink-client.js';

/** Priority of a configured template, which takes precedence over the products' built-in templates. */
const TEMPLATE_PRIORITY = 500;
/** Priority of the template without a configured one, so that any template of the operator takes precedence. */
const DEFAULT_TEMPLATE_PRIORITY = 1;
/** The mapping of each index is compared, and each deletion goes to all that have the alias. */
const MAX_INDEXES = 1_000;
const MAX_ALIASED_INDEXES = 100;
const MAX_INDEX_NAME_LENGTH = 255;
/** Another node may have moved the alias: how long deletions may miss an index that serves again. */
const ALIAS_AGE_MS = 60_000;
const JSON_TYPE = { 'content-type': 'application/json' };

type SearchOptions = SinkDefinitionOf<'elasticsearch' | 'opensearch'>['options'];

interface IndexFacts {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mappings: Readonly<Record<string, unknown>>;
}

/** The index of a sink, or the indexes behind its alias: creates what is missing, and says what is there. */
export class SearchIndex {
  /** Whether the configured name is an alias. */
  isAlias = false;
  /** Other indexes that have the alias, and serve searches until it is moved: they get deletions, too. */
  servingIndexes: readonly string[] = [];
  /** Fields of documents that the index uses for something else, and that are left out. */
  takenFields: readonly string[] = [];
  private isReady = false;
  private aliasReadAt = 0;

  constructor(
    private readonly client: SinkClient,
    private readonly dialect: SearchDialect,
    private readonly options: SearchOptions,
  ) {}

  /** Creates a missing index. Does so only once, unless it fails or the index disappears. */
  async ensure(signal: AbortSignal): Promise<void> {
    if (this.isReady) {
      const isOutdated = this.options.alias !== undefined && Date.now() - this.aliasReadAt > ALIAS_AGE_MS;
      if (isOutdated) await this.readAlias(signal);
      return;
    }
    const { template, index } = this.options;
    const body = buildIndexBody(this.dialect, this.options);
    const response = await this.request('HEAD', this.path, signal);
    // Credentials that may write documents are not necessarily allowed to examine the index (403).
    const exists = isSuccess(response) || response.status === 403;
    if (!exists) {
      if (response.status !== 404) throw this.client.toUnavailable(response);
      if (this.isAlias)
        throw new SinkUnavailable(`${this.client.displayName}: the alias ${index} is gone; add it to an index again`);
      if (template !== undefined) await this.putTemplate(body, TEMPLATE_PRIORITY, signal);
      await this.create(body, signal);
      await this.ensureAlias(signal);
      if (template === undefined) await this.putTemplateIfAllowed(body, DEFAULT_TEMPLATE_PRIORITY, signal);
    } else if (isSuccess(response)) {
      this.isAlias = (await this.readIndexesOf(this.options.index, signal)).length > 0;
      if (!this.isAlias) {
        const priority = template === undefined ? DEFAULT_TEMPLATE_PRIORITY : TEMPLATE_PRIORITY;
        await this.putTemplateIfAllowed(body, priority, signal);
        await this.ensureAlias(signal);
      }
    }
    this.isReady = true;
  }

  /** To be called when the index has turned out to be missing. */
  forget(): void {
    this.isReady = false;
  }

  async identify(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const indexes = await this.read(signal);
    if (indexes === undefined) return undefined;
    if (indexes.length === 0) this.forget();
    if (this.options.alias !== undefined) await this.readAlias(signal);
    const ids = indexes.map(({ settings }) => asString(settings['uuid']));
    return ids.every((id) => id !== undefined) ? ids : undefined;
  }

  /**
   * Returns what is worth knowing about a mapping with which documents are accepted.
   * @throws SinkUnsuitable if the mapping refuses every document
   */
  async checkSchema(signal: AbortSignal): Promise<string | undefined> {
    if (this.options.pipeline !== undefined) return undefined; // the pipeline may change any field
    const notes = this.servingIndexes.length === 0 ? [] : [this.describeAlias()];
    const wanted = buildIndexBody(this.dialect, this.options).mappings;
    const indexes = await this.read(signal);
    if (indexes === undefined) notes.push(this.describeMissingPrivilege());
    else if (indexes.length > 1) notes.push(this.describeSeveralIndexes(indexes.length));
    const takenFields = new Set<string>();
    for (const { name, settings, mappings } of indexes ?? []) {
      const hasPipeline = ['default_pipeline', 'final_pipeline'].some((setting) => settings[setting] !== undefined);
      const faults = hasPipeline ? [] : findSchemaFaults(mappings);
      if (faults.length > 0)
        throw new SinkUnsuitable(
          `${this.client.displayName}: the mapping of the index ${name} refuses every document: ${faults.join('; ')}. Use another index, or let Crawlway create it`,
        );
      const taken = hasPipeline ? [] : findTakenFields(mappings);
      for (const field of taken) takenFields.add(field);
      if (taken.length > 0)
        notes.push(
          `The index ${name} uses ${taken.join(', ')} for something else, as the Elastic Common Schema does: documents are stored without these fields`,
        );
      const missing = findMissingFields(mappings, wanted).filter((field) => !taken.includes(field.split('.')[0]!));
      if (missing.length > 0)
        notes.push(
          `The index ${name} was created with another mapping and lacks ${missing.join(', ')}: documents are accepted, but these fields cannot be searched. A new index has them`,
        );
    }
    this.takenFields = [...takenFields];
    const foreignCount = await countForeignHits(this.client, this.options.index, signal);
    if (foreignCount > 0)
      notes.push(
        `It holds ${foreignCount === 1 ? '1 document' : `${foreignCount} documents`} of another program; \`crawlway sinks adopt\` replaces those whose pages are crawled, and the others stay`,
      );
    return notes.length === 0 ? undefined : notes.join('. ');
  }

  /** @throws SinkUnsuitable if documents cannot be sorted by their URI */
  async checkListable(signal: AbortSignal): Promise<void> {
    for (const { name, mappings } of (await this.read(signal)) ?? []) {
      const type = asString(asRecord(asRecord(mappings['properties'])['uri'])['type']);
      if (type === 'keyword' || type === 'wildcard') continue;
      throw new SinkUnsuitable(
        `${this.client.displayName}: ${type === undefined ? `the mapping of the index ${name} has no field \`uri\`` : `the index ${name} maps \`uri\` as ${type}`}, which has to be keyword so that documents can be listed; delete the index, and Crawlway creates it again and fills it`,
      );
    }
  }

  private describeAlias(): string {
    const { alias, index } = this.options;
    return `The alias ${alias} is on ${this.servingIndexes.join(', ')}, and ${index} is filled beside: once that is done, \`crawlway sinks switch\` moves the alias`;
  }

  private describeSeveralIndexes(count: number): string {
    return `${this.options.index} stands for ${count} indexes: a document that changes is stored again in the one that is written to, and its older version stays in the other, as does a document that is deleted. Leave the alias on one index, and do not roll it over`;
  }

  private describeMissingPrivilege(): string {
    return `The credentials may not read the index ${this.options.index} (403), so a wrong mapping and an index that was deleted or replaced are not noticed: grant them view_index_metadata`;
  }

  private get path(): string {
    return encodeURIComponent(this.options.index);
  }

  /** Returns the indexes behind the name; none if there are none, undefined if the credentials do not allow it. */
  private async read(signal: AbortSignal): Promise<IndexFacts[] | undefined> {
    const response = await this.request('GET', this.path, signal);
    if (response.status === 404 && response.body.includes('index_not_found')) return []; // not the 404 of a proxy
    if (response.status === 403) return undefined;
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    const indexes = Object.entries(parseJsonObject(response, this.client, this.dialect));
    if (indexes.length > MAX_INDEXES)
      throw new SinkUnavailable(
        `${this.client.displayName}: ${this.options.index} stands for ${indexes.length} indexes, and at most ${MAX_INDEXES} are compared: name one index or an alias of fewer`,
      );
    return indexes.map(([name, facts]) => ({
      name,
      settings: asRecord(asRecord(asRecord(facts)['settings'])['index']),
      mappings: asRecord(asRecord(facts)['mappings']),
    }));
  }

  private async create(body: object, signal: AbortSignal): Promise<void> {
    const response = await this.request('PUT', this.path, signal, body);
    const alreadyExists = response.status === 400 && response.body.includes('resource_already_exists_exception');
    if (!isSuccess(response) && !alreadyExists) throw this.client.toUnavailable(response);
  }

  /** Puts the template that applies if an operator, or the engine, creates the index again. */
  private async putTemplate(template: object, priority: number, signal: AbortSignal): Promise<void> {
    const response = await this.putTemplateIfAllowed(template, priority, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
  }

  private putTemplateIfAllowed(template: object, priority: number, signal: AbortSignal): Promise<SinkResponse> {
    const { index } = this.options;
    const path = `_index_template/${encodeURIComponent(`crawlway-${index}`)}`;
    return this.request('PUT', path, signal, { index_patterns: [index], priority, template });
  }

  /** Puts a new alias on the index. One that other indexes have stays there until it is moved. */
  private async ensureAlias(signal: AbortSignal): Promise<void> {
    const { alias, index } = this.options;
    if (alias === undefined) return;
    const indexes = await this.readAlias(signal);
    if (indexes.length === 0) await this.moveAlias([index], signal);
  }

  /** Returns the indexes that have the alias. */
  async readAlias(signal: AbortSignal): Promise<readonly string[]> {
    const { alias = '' } = this.options;
    const indexes = await this.readIndexesOf(alias, signal);
    if (indexes.length > MAX_ALIASED_INDEXES || indexes.some(({ length }) => length > MAX_INDEX_NAME_LENGTH))
      throw new SinkUnavailable(
        `${this.client.displayName}: the alias ${alias} is on more than ${MAX_ALIASED_INDEXES} indexes, or their names are too long`,
      );
    this.servingIndexes = indexes.filter((name) => name !== this.options.index);
    this.aliasReadAt = Date.now();
    return indexes;
  }

  private async readIndexesOf(alias: string, signal: AbortSignal): Promise<string[]> {
    const response = await this.request('GET', `_alias/${encodeURIComponent(alias)}`, signal);
    if (!isSuccess(response) && response.status !== 404) throw this.client.toUnavailable(response);
    return isSuccess(response) ? Object.keys(parseJsonObject(response, this.client, this.dialect)) : [];
  }

  /** Moves the alias to these indexes, in one step. */
  async moveAlias(indexes: readonly string[], signal: AbortSignal): Promise<void> {
    const { alias = '', index } = this.options;
    const current = await this.readAlias(signal);
    const actions = [
      ...indexes.map((name) => ({ add: { index: name, alias } })),
      ...current.filter((name) => !indexes.includes(name)).map((name) => ({ remove: { index: name, alias } })),
    ];
    const response = await this.request('POST', '_aliases', signal, { actions });
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    this.servingIndexes = indexes.filter((name) => name !== index);
  }

  private request(
    method: SinkRequest['method'],
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<SinkResponse> {
    const content = body && { headers: JSON_TYPE, body: JSON.stringify(body) };
    return this.client.request({ method, path, ...content }, signal);
  }
}
