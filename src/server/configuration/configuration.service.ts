import { Inject, Injectable } from '@nestjs/common';
import { type Problem, placeText } from '../../domain/crawl/place.js';
import type { EngineApi, PreviewReport } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import { ProblemException } from '../http/problem.js';
import { CLOCK, CONFIGURATION_FILE, CONFIGURATION_FORMAT, CONFIGURATION_HISTORY, ENGINE, LOG } from '../tokens.js';
import {
  type ConfigurationFile,
  digestOf,
  InvalidConfiguration,
  type LoadedConfiguration,
  type StagedText,
} from './configuration-file.js';
import type { ConfigurationFormat, RuleView } from './configuration-format.js';
import type { ConfigurationHistory, VersionHeader } from './configuration-history.js';
import { configurationErrors } from './problems.dto.js';

export interface ConfigurationInForce extends LoadedConfiguration {
  readonly header: VersionHeader;
}

export interface WriteRequest {
  readonly who: string;
  /** Header value; absent is refused. */
  readonly ifMatch: string | undefined;
  /** The caller knows that many documents will be deleted. */
  readonly confirm: boolean;
}

/**
 * The configuration in force and the only ways in which it changes. One change at a time; a configuration with errors
 * changes nothing; the engine has taken a new one before the file shows it.
 */
@Injectable()
export class ConfigurationService {
  private inForce: ConfigurationInForce | undefined;
  private shared = false;
  private rejected: readonly Problem[] = [];
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FILE) readonly file: ConfigurationFile,
    @Inject(CONFIGURATION_FORMAT) readonly format: ConfigurationFormat,
    @Inject(CONFIGURATION_HISTORY) private readonly history: ConfigurationHistory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * The configuration to start with: the file's, or, where several servers share the database, the one that is in force
   * on the others.
   */
  async begin(loaded: LoadedConfiguration, shared: boolean): Promise<ConfigurationInForce> {
    this.shared = shared;
    const [newest] = await this.history.versions(undefined, 1);
    const isNewest = newest?.digest === digestOf(loaded.xml);
    if (newest && !isNewest && shared) {
      this.log.warn('the configuration in the database is in force; the file differs from it and is not used', {
        version: newest.version,
        file: this.file.path,
      });
      this.inForce = { ...this.file.load(await this.versionText(newest.version)), header: newest };
    } else {
      this.inForce = { ...loaded, header: newest && isNewest ? newest : await this.remember(loaded.xml, 'file') };
    }
    return this.inForce;
  }

  /** Puts in force what another server has put in force. */
  follow(): Promise<void> {
    return this.exclusively(async () => {
      const [newest] = await this.history.versions(undefined, 1);
      if (!newest || newest.digest === this.current.header.digest) return;
      const loaded = this.file.load(await this.versionText(newest.version));
      const staged = await this.stage(loaded.xml);
      await this.engine.reconfigure(loaded.definition);
      this.inForce = { ...loaded, header: newest };
      await staged?.commit();
      this.log.info('a new configuration is in force', { version: newest.version, by: newest.who });
    });
  }

  get current(): ConfigurationInForce {
    if (!this.inForce) throw new Error('the configuration is asked for before it is loaded');
    return this.inForce;
  }

  /** Errors of the file on disk, when it was changed to something that could not be used. */
  get rejectedProblems(): readonly Problem[] {
    return this.rejected;
  }

  get etag(): string {
    return `"${this.current.header.digest.slice(0, 32)}"`;
  }

  /** Paths whose change wants a reload. */
  get watched(): readonly string[] {
    return [this.file.path, ...this.current.files];
  }

  redacted(): string {
    return this.format.redact(this.current.xml);
  }

  rules(crawler: string): readonly RuleView[] {
    return this.format.rules(this.current.xml, crawler);
  }

  check(xml: string): readonly Problem[] {
    return this.file.check(this.withSecrets(xml)).problems;
  }

  preview(xml: string): AsyncIterable<PreviewReport> {
    return this.engine.preview(this.loadOrRefuse(this.withSecrets(xml)).definition);
  }

  /** @throws ProblemException: 428, 412, 422 with every error, 409 when many documents would be deleted. */
  replace(xml: string, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.change((current) => this.withSecrets(xml, current), request);
  }

  /** As replace, with a text that is made from the one in force. */
  change(edit: (xml: string) => string, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.exclusively(async () => {
      this.requireMatch(request.ifMatch);
      const loaded = this.loadOrRefuse(edit(this.current.xml));
      if (!request.confirm) await this.requireFewDeletions(loaded);
      return this.putInForce(loaded, request.who);
    });
  }

  async restore(version: number, request: WriteRequest): Promise<ConfigurationInForce> {
    const xml = await this.versionText(version);
    return this.change(() => xml, request);
  }

  /** The text of an earlier version, redacted. */
  async version(version: number): Promise<string> {
    return this.format.redact(await this.versionText(version));
  }

  /** Reads the file again, after a signal or because it has changed. An unusable one is told in the log, and no more. */
  reload(who: string): Promise<'unchanged' | 'reloaded' | 'refused'> {
    return this.exclusively(async () => {
      try {
        const loaded = this.file.load();
        if (loaded.fingerprint === this.current.fingerprint) {
          this.rejected = [];
          return 'unchanged';
        }
        await this.engine.reconfigure(loaded.definition);
        await this.accept(loaded, who);
        return 'reloaded';
      } catch (error) {
        this.refuse(error);
        return 'refused';
      }
    });
  }

  private refuse(error: unknown): void {
    if (error instanceof InvalidConfiguration) {
      this.rejected = error.problems;
      this.log.error('the changed configuration has errors; the one in force stays', {
        problems: error.problems.map((problem) => `${placeText(problem.place)} ${problem.code} ${problem.message}`),
      });
    } else this.log.error('the configuration could not be read again; the one in force stays', { error });
  }

  private async putInForce(loaded: LoadedConfiguration, who: string): Promise<ConfigurationInForce> {
    const staged = await this.stage(loaded.xml);
    try {
      await this.engine.reconfigure(loaded.definition);
    } catch (error) {
      await staged?.discard();
      throw error;
    }
    await staged?.commit();
    return this.accept(loaded, who);
  }

  /** Where servers share a database that has the configuration, a file that cannot be written (a mounted one) may stay behind. */
  private stage(xml: string): Promise<StagedText | undefined> {
    const staging = this.file.stage(xml);
    if (!this.shared) return staging;
    return staging.catch((error: unknown) => {
      this.log.info('the configuration file could not be written; the database has the configuration', {
        file: this.file.path,
        error: String(error),
      });
      return undefined;
    });
  }

  private async accept(loaded: LoadedConfiguration, who: string): Promise<ConfigurationInForce> {
    const header = await this.remember(loaded.xml, who);
    this.inForce = { ...loaded, header };
    this.rejected = [];
    this.log.info('a new configuration is in force', { version: header.version, by: who });
    await this.engine.tellOthers();
    return this.inForce;
  }

  private remember(xml: string, who: string): Promise<VersionHeader> {
    return this.history.add({ at: this.clock.now(), who, digest: digestOf(xml), text: xml });
  }

  private loadOrRefuse(xml: string): LoadedConfiguration {
    try {
      return this.file.load(xml);
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      const errors = configurationErrors(error.problems);
      throw new ProblemException('configuration-invalid', `Nothing was changed: ${errors.length} problems.`, {
        errors,
      });
    }
  }

  private requireMatch(ifMatch: string | undefined): void {
    if (ifMatch === undefined) {
      throw new ProblemException(
        'precondition-required',
        'Send If-Match with the ETag that GET /api/v1/config answered.',
      );
    }
    const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (tags.includes('*') || tags.includes(this.etag)) return;
    throw new ProblemException(
      'precondition-failed',
      `The configuration in force is ${this.etag}; read it again first.`,
    );
  }

  private async requireFewDeletions(loaded: LoadedConfiguration): Promise<void> {
    let last: PreviewReport | undefined;
    for await (const report of this.engine.preview(loaded.definition)) last = report;
    if (!last || last.needsConfirmation.length === 0) return;
    const numbers = last.crawlers
      .filter(({ crawler }) => last.needsConfirmation.includes(crawler))
      .map(({ crawler, documentsDeleted, indexed }) => ({
        crawler,
        documentsDeleted: documentsDeleted.count,
        indexed,
      }));
    const words = numbers.map((n) => `${n.documentsDeleted} of ${n.indexed} documents of ${n.crawler}`).join(', ');
    throw new ProblemException(
      'confirmation-needed',
      `The change would delete ${words}. Repeat with confirm=true to do it.`,
      { crawlers: numbers },
    );
  }

  private async versionText(version: number): Promise<string> {
    const xml = await this.history.text(version);
    if (xml === undefined)
      throw new ProblemException('not-found', `There is no version ${version} of the configuration.`);
    return xml;
  }

  private withSecrets(xml: string, current: string = this.current.xml): string {
    return this.format.restoreSecrets(xml, current);
  }

  private exclusively<T>(action: () => Promise<T>): Promise<T> {
    const run = this.last.then(action, action);
    this.last = run.catch(() => undefined);
    return run;
  }
}
