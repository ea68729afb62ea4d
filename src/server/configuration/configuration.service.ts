import { Inject, Injectable } from '@nestjs/common';
import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { ConfigurationHistory, ConfigurationTexts, VersionHeader } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { PreviewReport } from '../../engine/views/crawler-views.js';
import type { PageView } from '../../engine/views/url-views.js';
import { ProblemException } from '../http/problem.js';
import { UsageError } from '../options.js';
import { CLOCK, CONFIGURATION_FILE, CONFIGURATION_FORMAT, CONFIGURATION_HISTORY, ENGINE, LOG } from '../tokens.js';
import { type ConfigurationDraft, findStrayFileProblems, indexTextsByName } from './configuration-draft.js';
import {
  type CheckedConfiguration,
  type ConfigurationFile,
  InvalidConfiguration,
  type LoadedConfiguration,
  type RuleFile,
  type StagedWrite,
} from './configuration-file.js';
import type { ConfigurationFormat } from './configuration-format.js';
import { createEdit, limitToPart, requireOwnPart, widenDraft } from './part-of-crawlers.js';
import type { RuleView } from './rule.dto.js';
import {
  ANY_VERSION,
  createInvalidProblem,
  createOvertakenProblem,
  createUnusableEditProblem,
  createWriteProblem,
  requireFewDeletions,
  requireMatch,
  type WriteRequest,
} from './write-conditions.js';

export interface ConfigurationInForce extends LoadedConfiguration {
  readonly header: VersionHeader;
}

type ReloadOutcome = 'unchanged' | 'reloaded' | 'refused';

/**
 * The configuration in force and the only ways to change it. Changes are made one at a time; a configuration with
 * errors changes nothing; the file is written only after the engine has accepted the new configuration; an edit of the
 * file is never overwritten unless the history has it.
 */
@Injectable()
export class ConfigurationService {
  private configurationInForce: ConfigurationInForce | undefined;
  /** What was last read from or written to the files; any difference is an edit by someone else. */
  private diskConfiguration!: LoadedConfiguration;
  private shared = false;
  private fileProblems: readonly Problem[] = [];
  /** Whether a secret has changed but its previous value is still in use. */
  private hasOutdatedSecrets = false;
  private lastAction: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FILE) readonly file: ConfigurationFile,
    @Inject(CONFIGURATION_FORMAT) readonly format: ConfigurationFormat,
    @Inject(CONFIGURATION_HISTORY) private readonly history: ConfigurationHistory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * The configuration to start with: the one in the file or, if several servers share the database, the one in force on
   * the others.
   */
  async initialize(configuration: LoadedConfiguration, shared: boolean): Promise<ConfigurationInForce> {
    this.shared = shared;
    this.diskConfiguration = configuration;
    const [newestVersion] = await this.history.listVersions(undefined, 1);
    const isNewest = newestVersion?.digest === configuration.digest;
    if (newestVersion && !isNewest && shared) {
      this.log.warn('the configuration in the database is in force; the file differs from it and is not used', {
        version: newestVersion.version,
        file: this.file.path,
      });
      const { xml, files } = await this.getVersion(newestVersion.version);
      this.configurationInForce = { ...(await this.file.load(xml, files)), header: newestVersion };
    } else {
      const header = isNewest ? newestVersion : await this.record(configuration, 'file', shared ? 0 : undefined);
      // Another server that is starting was faster: its configuration is in force.
      if (!header) return this.initialize(configuration, shared);
      this.configurationInForce = { ...configuration, header };
    }
    return this.configurationInForce;
  }

  /** Puts in force what another server has put in force: a configuration, or the new value of a secret. */
  async adoptNewest(): Promise<void> {
    await this.runExclusively(() => this.adoptNewestVersion());
    await this.renewSecrets();
  }

  private async adoptNewestVersion(): Promise<void> {
    const [newestVersion] = await this.history.listVersions(undefined, 1);
    const isSame = newestVersion?.digest === this.current.header.digest;
    if (newestVersion && isSame) this.configurationInForce = { ...this.current, header: newestVersion };
    if (!newestVersion || isSame) return;
    const { xml, files } = await this.getVersion(newestVersion.version);
    const configuration = await this.file.load(xml, files);
    const stagedWrite = this.isFileEdited() ? undefined : await this.stage(configuration);
    await this.engine.reconfigure(configuration.definition).catch(async (error: unknown) => {
      await stagedWrite?.discard();
      throw error;
    });
    this.configurationInForce = { ...configuration, header: newestVersion };
    await this.commitWrite(configuration, stagedWrite);
    this.log.info('a new configuration is in force', { version: newestVersion.version, by: newestVersion.who });
  }

  get current(): ConfigurationInForce {
    if (!this.configurationInForce) throw new Error('the configuration was requested before it was loaded');
    return this.configurationInForce;
  }

  /** Problems of the file on disk if it was changed and cannot be used. */
  get rejectedProblems(): readonly Problem[] {
    return this.fileProblems;
  }

  /** Not derived from the text: otherwise, someone who may not see a password could test guesses against it. */
  get etag(): string {
    const { version, at } = this.current.header;
    return `"${version}-${at.toString(36)}"`;
  }

  /** Paths of the files that require a reload when they change. */
  get watchedPaths(): readonly string[] {
    return [this.file.path, ...this.current.paths];
  }

  /** The rule files in force, without secrets. */
  listRuleFiles(): readonly RuleFile[] {
    const { ruleFiles, publicTexts } = this.current;
    return ruleFiles.map((file) => ({ ...file, text: publicTexts.files.get(file.name) as string }));
  }

  listRules(crawler: string): readonly RuleView[] {
    return this.format.listRules(this.current.publicTexts.xml, crawler);
  }

  async check(draft: ConfigurationDraft): Promise<readonly Problem[]> {
    if (draft.part && draft.part.problems.length > 0) return draft.part.problems;
    const result = await this.checkDraft(draft);
    const problems = limitToPart(result.problems, draft.part);
    return result.definition ? [...problems, ...findStrayFileProblems(draft, result.files)] : problems;
  }

  /** The sink with that name in a draft. */
  async findSink(draft: ConfigurationDraft, name: string): Promise<SinkDefinition> {
    const { definition } = await this.loadOrThrow(draft);
    const { part } = draft;
    const sink = definition.sinks.find((candidate) => candidate.name === name && (!part || part.sinks.has(name)));
    if (!sink) throw new ProblemException('not-found', `The configuration has no sink ${name}.`);
    return sink;
  }

  async viewPage(draft: ConfigurationDraft, crawler: string, url: string): Promise<PageView> {
    const { definition } = await this.loadOrThrow(draft);
    return this.engine.previewPage(definition, crawler, url);
  }

  /** @param crawlers those to which the caller's role is limited */
  async preview(draft: ConfigurationDraft, crawlers?: ReadonlySet<string>): Promise<AsyncIterable<PreviewReport>> {
    const { definition } = await this.loadOrThrow(draft);
    return this.engine.preview(definition, crawlers);
  }

  /**
   * @throws ProblemException: 428, 412, 422 with every error, 409 if many documents would be deleted or the file has an
   * edit that is not in force; with If-Match: * such an edit is kept beside the file.
   */
  replace(draft: ConfigurationDraft, request: WriteRequest): Promise<ConfigurationInForce> {
    const mayOverwriteEdit = request.ifMatch === ANY_VERSION && !request.crawlers;
    return this.applyDraft(() => widenDraft(this, draft, request.crawlers), request, mayOverwriteEdit);
  }

  /** Like replace, but edits the text in force, in which literal secrets of the file stay as they are. */
  change(edit: (xml: string) => string, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.applyDraft((xml) => createEdit(this, xml, edit(xml), request.crawlers), request, false);
  }

  /**
   * Like replace. Without If-Match, any configuration in force is replaced, but never an edit of the file that is not
   * in force.
   */
  async restore(version: number, request: WriteRequest): Promise<ConfigurationInForce> {
    const texts = await this.getVersion(version);
    return this.applyDraft(
      () => texts,
      { ...request, ifMatch: request.ifMatch ?? ANY_VERSION },
      request.ifMatch === ANY_VERSION,
    );
  }

  async getVersion(version: number): Promise<ConfigurationTexts> {
    const texts = await this.history.findTexts(version);
    if (texts) return texts;
    throw new ProblemException('not-found', `There is no version ${version} of the configuration.`);
  }

  /** Rereads the file, after a signal or because it has changed. Errors are only logged. */
  reload(who: string): Promise<ReloadOutcome> {
    return this.runExclusively(() =>
      this.loadEditedFile(who).catch((error: unknown) => {
        // What a file said that is no longer there does not stand in the way of a write.
        if (error instanceof UsageError) this.fileProblems = [];
        this.log.error('the configuration could not be reloaded; the current one stays in force', {
          error: error instanceof UsageError ? error.message : error,
        });
        return 'refused';
      }),
    );
  }

  /**
   * Rereads the secrets that are kept outside the configuration. Nothing else in the configuration in force changes,
   * and no new version is created.
   */
  async renewSecrets(): Promise<void> {
    if (await this.format.reloadSecrets()) this.hasOutdatedSecrets = true;
    if (this.current.secretUses.length > 0) await this.file.refreshSecrets();
    if (this.file.takeSecretChanges()) this.hasOutdatedSecrets = true;
    if (!this.hasOutdatedSecrets) return;
    await this.runExclusively(async () => {
      this.hasOutdatedSecrets = false;
      const { xml, ruleFiles, header, definition } = this.current;
      const configuration = await this.file.load(xml, indexTextsByName(ruleFiles));
      if (isSameDefinition(configuration.definition, definition)) return;
      await this.reconfigure(configuration).catch((error: unknown) => {
        this.hasOutdatedSecrets = true;
        throw error;
      });
      this.configurationInForce = { ...configuration, header };
      this.log.info('a secret of the configuration has changed, and the new value is in force');
    });
  }

  private applyDraft(
    createDraft: (xml: string) => ConfigurationDraft,
    request: WriteRequest,
    mayOverwriteEdit: boolean,
  ): Promise<ConfigurationInForce> {
    return this.runExclusively(async () => {
      await this.requireCurrentVersion(request, mayOverwriteEdit);
      const configuration = await this.loadOrThrow(createDraft(this.current.xml));
      if (!request.confirm) {
        await requireFewDeletions(this.engine.preview(configuration.definition, request.crawlers));
        // The preview takes time, and the file may be edited in the meantime.
        await this.requireCurrentVersion(request, mayOverwriteEdit);
      }
      return this.putInForce(configuration, request);
    });
  }

  /**
   * An edit of the file and a version of another server take precedence: if one has not been noticed yet, it is loaded
   * now, which makes the caller's version outdated.
   */
  private async requireCurrentVersion({ ifMatch, crawlers }: WriteRequest, mayOverwriteEdit: boolean): Promise<void> {
    if (this.isFileEdited()) await this.loadEditedFile('file');
    if (this.shared) await this.adoptNewestVersion();
    if (this.fileProblems.length > 0 && !mayOverwriteEdit)
      throw createUnusableEditProblem(crawlers ? [] : this.fileProblems);
    requireMatch(ifMatch, this.etag);
  }

  /** Whether a file differs from what was last read from it or written to it. */
  get isEditedOnDisk(): boolean {
    return this.file.hasDiskChanged(this.diskConfiguration);
  }

  private isFileEdited(): boolean {
    return this.fileProblems.length > 0 || this.isEditedOnDisk;
  }

  private async loadEditedFile(who: string): Promise<ReloadOutcome> {
    try {
      const configuration = await this.file.load();
      const isNew = configuration.fingerprint !== this.current.fingerprint;
      const header = isNew ? await this.reconfigureAndRecord(configuration, who) : undefined;
      this.diskConfiguration = configuration;
      if (header) await this.acceptVersion(configuration, header);
      this.fileProblems = [];
      return isNew ? 'reloaded' : 'unchanged';
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      this.fileProblems = error.problems;
      this.log.error('the changed configuration file has errors; the previous configuration stays in force', {
        problems: error.problems.map(({ place, code, message }) => `${formatPlace(place)} ${code} ${message}`),
      });
      return 'refused';
    }
  }

  private async putInForce(configuration: LoadedConfiguration, { who, ifMatch }: WriteRequest) {
    const stagedWrite = await this.stage(configuration);
    const newest = this.shared && ifMatch !== ANY_VERSION ? this.current.header.version : undefined;
    const header = await this.reconfigureAndRecord(configuration, who, newest).catch(async (error: unknown) => {
      await stagedWrite?.discard();
      throw error;
    });
    return this.acceptVersion(configuration, header, stagedWrite);
  }

  /**
   * A configuration that cannot be stored, for example because the disk is full, is not put in force either.
   * @throws ProblemException 412 if `newest` is no longer the newest version
   */
  private async reconfigureAndRecord(configuration: LoadedConfiguration, who: string, newest?: number) {
    await this.reconfigure(configuration);
    try {
      const header = await this.record(configuration, who, newest);
      if (!header) throw createOvertakenProblem();
      return header;
    } catch (error) {
      await this.engine.reconfigure(this.current.definition).catch(() => undefined);
      throw error;
    }
  }

  private record({ publicTexts, digest }: LoadedConfiguration, who: string, newest?: number) {
    return this.history.add({ at: this.clock.now(), who, digest, ...publicTexts }, newest);
  }

  private async commitWrite(configuration: LoadedConfiguration, stagedWrite: StagedWrite | undefined): Promise<void> {
    if (!stagedWrite) return;
    await stagedWrite.commit();
    this.diskConfiguration = configuration;
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
   * Writes the new contents beside the files, and keeps an edit that could not be used. If several servers share a
   * database, which has the configuration, a file that cannot be written (because it is mounted read-only) may stay
   * outdated.
   */
  private stage(configuration: LoadedConfiguration): Promise<StagedWrite | undefined> {
    const isEditLost = this.fileProblems.length > 0;
    return this.file.stage(configuration, isEditLost).catch((error: unknown) => {
      if (!this.shared) throw error instanceof UsageError ? createWriteProblem(error) : error;
      this.log.info('the configuration file could not be written; the database has the configuration', {
        file: this.file.path,
        error: String(error),
      });
      return undefined;
    });
  }

  private async acceptVersion(configuration: LoadedConfiguration, header: VersionHeader, write?: StagedWrite) {
    this.configurationInForce = { ...configuration, header };
    this.fileProblems = [];
    await this.commitWrite(configuration, write);
    this.log.info('a new configuration is in force', { version: header.version, by: header.who });
    await this.engine.notifyOthers();
    return this.configurationInForce;
  }

  /**
   * Checks a draft, whose own texts must not contain secrets. If several servers share a database, the rules in force are
   * those in the database; a file on this machine may be outdated.
   */
  private checkDraft({ xml, files, isEditOfFile }: ConfigurationDraft): Promise<CheckedConfiguration> {
    const currentFiles = this.shared ? indexTextsByName(this.current.ruleFiles) : [];
    const sentFiles = new Set([...(xml === undefined || isEditOfFile ? [] : [this.file.path]), ...files.keys()]);
    return this.file.check(xml ?? this.current.xml, new Map([...currentFiles, ...files]), sentFiles);
  }

  private async loadOrThrow(draft: ConfigurationDraft): Promise<LoadedConfiguration> {
    requireOwnPart(draft);
    const result = await this.checkDraft(draft);
    const problems = result.definition
      ? findStrayFileProblems(draft, result.files)
      : limitToPart(result.problems, draft.part);
    if (problems.length > 0) throw createInvalidProblem(problems);
    return this.file.toLoaded(result);
  }

  /** Runs the action while no change is made to the configuration. */
  runExclusively<T>(action: () => Promise<T>): Promise<T> {
    const result = this.lastAction.then(action, action);
    this.lastAction = result.catch(() => undefined);
    return result;
  }
}
