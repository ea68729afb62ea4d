import { Inject, Injectable } from '@nestjs/common';
import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { PreviewReport } from '../../engine/views/crawler-views.js';
import type { PageView } from '../../engine/views/url-views.js';
import { ProblemException } from '../http/problem.js';
import { UsageError } from '../options.js';
import { CLOCK, CONFIGURATION_FILE, CONFIGURATION_FORMAT, CONFIGURATION_HISTORY, ENGINE, LOG } from '../tokens.js';
import { type ConfigurationDraft, findStrayFiles, indexTextsByName } from './configuration-draft.js';
import {
  type ConfigurationFile,
  InvalidConfiguration,
  type LoadedConfiguration,
  type RuleFile,
  type Staged,
} from './configuration-file.js';
import type { ConfigurationFormat, RuleView } from './configuration-format.js';
import type { ConfigurationHistory, ConfigurationTexts, VersionHeader } from './configuration-history.js';
import { ConfigurationVersions, KEPT_EDIT } from './configuration-versions.js';
import { toProblemErrors } from './problems.dto.js';
import {
  ANY,
  createConfirmationProblem,
  createUnusableEditProblem,
  createWriteProblem,
  requireMatch,
} from './write-conditions.js';

export interface ConfigurationInForce extends LoadedConfiguration {
  readonly header: VersionHeader;
}

export interface WriteRequest {
  readonly who: string;
  /** Value of the header; the request is refused if it is absent. */
  readonly ifMatch: string | undefined;
  /** The caller knows that many documents will be deleted. */
  readonly confirm: boolean;
}

type Reloaded = 'unchanged' | 'reloaded' | 'refused';

/**
 * The configuration in force and the only ways to change it. Changes are made one at a time; a configuration with
 * errors changes nothing; the file is written only after the engine has accepted the new configuration; an edit of the
 * file is never overwritten unless the history has it.
 */
@Injectable()
export class ConfigurationService {
  private inForce: ConfigurationInForce | undefined;
  /** What was last read from or written to the files; any difference was made by hand. */
  private onDisk!: LoadedConfiguration;
  private shared = false;
  private rejected: readonly Problem[] = [];
  /** An external secret has changed, but the previous configuration is still in force. */
  private secretsAreOld = false;
  private last: Promise<unknown> = Promise.resolve();
  private readonly versions: ConfigurationVersions;

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FILE) readonly file: ConfigurationFile,
    @Inject(CONFIGURATION_FORMAT) readonly format: ConfigurationFormat,
    @Inject(CONFIGURATION_HISTORY) history: ConfigurationHistory,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.versions = new ConfigurationVersions(history, format, clock);
  }

  /**
   * The configuration to start with: the one in the file or, if several servers share the database, the one in force on
   * the others.
   */
  async initialize(loaded: LoadedConfiguration, shared: boolean): Promise<ConfigurationInForce> {
    this.shared = shared;
    this.onDisk = loaded;
    const newest = await this.versions.findNewest();
    const isNewest = newest?.digest === loaded.fingerprint;
    if (newest && !isNewest && shared) {
      this.log.warn('the configuration in the database is in force; the file differs from it and is not used', {
        version: newest.version,
        file: this.file.path,
      });
      const { xml, files } = await this.versions.getTexts(newest.version, loaded);
      this.inForce = { ...this.file.load(xml, files), header: newest };
    } else {
      this.inForce = { ...loaded, header: newest && isNewest ? newest : await this.versions.record(loaded, 'file') };
    }
    return this.inForce;
  }

  /** Puts in force the configuration that another server has put in force. */
  adoptNewest(): Promise<void> {
    return this.runExclusively(async () => {
      const newest = await this.versions.findNewest();
      if (!newest || newest.digest === this.current.header.digest) return;
      const { xml, files } = await this.versions.getTexts(newest.version, this.current);
      const loaded = this.file.load(xml, files);
      const staged = this.isFileEdited() ? undefined : await this.stage(loaded);
      await this.engine.reconfigure(loaded.definition);
      this.inForce = { ...loaded, header: newest };
      await this.write(loaded, staged);
      this.log.info('a new configuration is in force', { version: newest.version, by: newest.who });
    });
  }

  get current(): ConfigurationInForce {
    if (!this.inForce) throw new Error('the configuration was requested before it was loaded');
    return this.inForce;
  }

  /** Errors of the file on disk if it was changed to something that could not be used. */
  get rejectedProblems(): readonly Problem[] {
    return this.rejected;
  }

  /** Not derived from the text: otherwise, a person who may not see a password could test guesses against it. */
  get etag(): string {
    const { version, at } = this.current.header;
    return `"${version}-${at.toString(36)}"`;
  }

  /** Paths of the files that require a reload when they change. */
  get watchedPaths(): readonly string[] {
    return [this.file.path, ...this.current.paths];
  }

  getRedactedXml(): string {
    return this.format.redact(this.current.xml);
  }

  /** The rule files in force, redacted. */
  listRuleFiles(): readonly RuleFile[] {
    return this.current.ruleFiles.map((file) => ({ ...file, text: this.format.redactRules(file.text) }));
  }

  listRules(crawler: string): readonly RuleView[] {
    return this.format.rules(this.current.xml, crawler);
  }

  check(draft: ConfigurationDraft): readonly Problem[] {
    const { xml, files } = this.completeDraft(draft);
    const checked = this.file.check(xml, files);
    return checked.definition ? [...checked.problems, ...findStrayFiles(draft, checked.files)] : checked.problems;
  }

  /** The sink with that name in a draft; placeholders are replaced by the secrets of the configuration in force. */
  findSink(draft: ConfigurationDraft, name: string): SinkDefinition {
    const sink = this.loadOrThrow(draft).definition.sinks.find((one) => one.name === name);
    if (!sink) throw new ProblemException('not-found', `The configuration has no sink ${name}.`);
    return sink;
  }

  viewPage(draft: ConfigurationDraft, crawler: string, url: string): Promise<PageView> {
    return this.engine.previewPage(this.loadOrThrow(draft).definition, crawler, url);
  }

  preview(draft: ConfigurationDraft): AsyncIterable<PreviewReport> {
    return this.engine.preview(this.loadOrThrow(draft).definition);
  }

  /**
   * @throws ProblemException: 428, 412, 422 with every error, 409 if many documents would be deleted or the file has an
   * edit that is not in force; with If-Match: * such an edit is only saved in the history.
   */
  replace(draft: ConfigurationDraft, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.applyDraft(() => draft, request, request.ifMatch === ANY);
  }

  /** Like replace, but edits the text in force. */
  change(edit: (xml: string) => string, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.applyDraft((xml) => ({ xml: edit(xml), files: new Map() }), request, false);
  }

  /**
   * Like replace; without If-Match, any configuration in force may be replaced, but no edit of the file that is not in
   * force.
   */
  async restore(version: number, request: WriteRequest): Promise<ConfigurationInForce> {
    const texts = await this.versions.getTexts(version, this.current);
    return this.applyDraft(() => texts, { ...request, ifMatch: request.ifMatch ?? ANY }, request.ifMatch === ANY);
  }

  /** The texts of an earlier version, redacted. */
  getVersion(version: number): Promise<ConfigurationTexts> {
    return this.versions.getRedacted(version, this.current);
  }

  /** Rereads the file, after a signal or because it has changed. Errors are only logged. */
  reload(who: string): Promise<Reloaded> {
    return this.runExclusively(() =>
      this.loadEditedFile(who).catch((error: unknown) => {
        this.log.error('the configuration could not be reloaded; the current one stays in force', { error });
        return 'refused';
      }),
    );
  }

  /**
   * Rereads the secrets that are kept outside the configuration. Nothing else in the configuration in force changes,
   * and no new version is created.
   */
  async renewSecrets(): Promise<void> {
    if (await this.format.reloadSecrets()) this.secretsAreOld = true;
    if (!this.secretsAreOld) return;
    await this.runExclusively(async () => {
      this.secretsAreOld = false;
      const { xml, ruleFiles, header, definition } = this.current;
      const loaded = this.file.load(xml, new Map(indexTextsByName(ruleFiles)));
      if (isSameDefinition(loaded.definition, definition)) return;
      await this.reconfigure(loaded).catch((error: unknown) => {
        this.secretsAreOld = true;
        throw error;
      });
      this.inForce = { ...loaded, header };
      this.log.info('an external secret has changed, and the new value is in force');
    });
  }

  private applyDraft(
    make: (xml: string) => ConfigurationDraft,
    request: WriteRequest,
    overwrites: boolean,
  ): Promise<ConfigurationInForce> {
    return this.runExclusively(async () => {
      await this.requireCurrentVersion(request, overwrites);
      const loaded = this.loadOrThrow(make(this.current.xml));
      if (!request.confirm) {
        await this.requireFewDeletions(loaded);
        // The preview takes time, and the file may be edited in the meantime.
        await this.requireCurrentVersion(request, overwrites);
      }
      return this.putInForce(loaded, request.who);
    });
  }

  /**
   * An edit of the file takes precedence: if it has not been noticed yet, it is loaded now, which makes the caller's
   * version outdated.
   */
  private async requireCurrentVersion({ ifMatch }: WriteRequest, overwrites: boolean): Promise<void> {
    if (this.isFileEdited()) await this.loadEditedFile('file');
    if (this.rejected.length > 0 && !overwrites) throw createUnusableEditProblem(this.rejected);
    requireMatch(ifMatch, this.etag);
  }

  private isFileEdited(): boolean {
    return this.rejected.length > 0 || this.file.hasDiskChanged(this.onDisk);
  }

  private async loadEditedFile(who: string): Promise<Reloaded> {
    try {
      const loaded = this.file.load();
      const isNew = loaded.fingerprint !== this.current.fingerprint;
      const header = isNew ? await this.reconfigureAndRecord(loaded, who) : undefined;
      this.onDisk = loaded;
      if (header) await this.acceptVersion(loaded, header);
      this.rejected = [];
      return isNew ? 'reloaded' : 'unchanged';
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      this.rejectFile(error.problems);
      return 'refused';
    }
  }

  private rejectFile(problems: readonly Problem[]): void {
    this.rejected = problems;
    this.log.error('the changed configuration has errors; the one in force stays', {
      problems: problems.map((problem) => `${formatPlace(problem.place)} ${problem.code} ${problem.message}`),
    });
  }

  private async putInForce(loaded: LoadedConfiguration, who: string): Promise<ConfigurationInForce> {
    const staged = await this.stage(loaded);
    const header = await this.reconfigureAndRecord(loaded, who, () => this.keepEdit(loaded)).catch(
      async (error: unknown) => {
        await staged?.discard();
        throw error;
      },
    );
    await this.write(loaded, staged);
    return this.acceptVersion(loaded, header);
  }

  /** A configuration that cannot be stored, for example because the disk is full, is not put in force either. */
  private async reconfigureAndRecord(
    loaded: LoadedConfiguration,
    who: string,
    before = async (): Promise<unknown> => undefined,
  ): Promise<VersionHeader> {
    await this.reconfigure(loaded);
    try {
      await before();
      return await this.versions.record(loaded, who);
    } catch (error) {
      await this.engine.reconfigure(this.current.definition).catch(() => undefined);
      throw error;
    }
  }

  /** Keeps an edit that could not be used and is about to be overwritten. */
  private async keepEdit(loaded: LoadedConfiguration): Promise<void> {
    if (this.rejected.length > 0) await this.versions.record(this.file.readDiskTexts(loaded), KEPT_EDIT);
  }

  private async write(loaded: LoadedConfiguration, staged: Staged | undefined): Promise<void> {
    if (!staged) return;
    await staged.commit();
    this.onDisk = loaded;
  }

  /** If the store fails halfway, the previous configuration is restored, even if that cannot be stored either. */
  private async reconfigure({ definition }: LoadedConfiguration): Promise<void> {
    try {
      await this.engine.reconfigure(definition);
    } catch (error) {
      await this.engine.reconfigure(this.current.definition).catch(() => undefined);
      throw error;
    }
  }

  /**
   * If several servers share a database that has the configuration, a file that cannot be written (because it is
   * mounted read-only) may stay outdated.
   */
  private stage(loaded: LoadedConfiguration): Promise<Staged | undefined> {
    return this.file.stage(loaded).catch((error: unknown) => {
      if (!this.shared) throw error instanceof UsageError ? createWriteProblem(error) : error;
      this.log.info('the configuration file could not be written; the database has the configuration', {
        file: this.file.path,
        error: String(error),
      });
      return undefined;
    });
  }

  private async acceptVersion(loaded: LoadedConfiguration, header: VersionHeader): Promise<ConfigurationInForce> {
    this.inForce = { ...loaded, header };
    this.rejected = [];
    this.log.info('a new configuration is in force', { version: header.version, by: header.who });
    await this.engine.notifyOthers();
    return this.inForce;
  }

  /**
   * If several servers share a database, the rules in force are those in the database; a file on this machine may be
   * outdated.
   */
  private completeDraft({ xml, files }: ConfigurationDraft): ConfigurationTexts {
    const known = this.shared ? indexTextsByName(this.current.ruleFiles) : [];
    return {
      xml: xml === undefined ? this.current.xml : this.format.restoreSecrets(xml, this.current.xml),
      files: new Map([...known, ...files]),
    };
  }

  private loadOrThrow(draft: ConfigurationDraft): LoadedConfiguration {
    const { xml, files } = this.completeDraft(draft);
    try {
      const loaded = this.file.load(xml, files);
      const strays = findStrayFiles(draft, loaded.ruleFiles);
      if (strays.length > 0) throw new InvalidConfiguration(strays);
      return loaded;
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      const errors = toProblemErrors(error.problems);
      throw new ProblemException('configuration-invalid', `Nothing was changed: ${errors.length} problems.`, {
        errors,
      });
    }
  }

  private async requireFewDeletions({ definition }: LoadedConfiguration): Promise<void> {
    let last: PreviewReport | undefined;
    for await (const report of this.engine.preview(definition)) last = report;
    if (last && last.needsConfirmation.length > 0) throw createConfirmationProblem(last);
  }

  private runExclusively<T>(action: () => Promise<T>): Promise<T> {
    const run = this.last.then(action, action);
    this.last = run.catch(() => undefined);
    return run;
  }
}
