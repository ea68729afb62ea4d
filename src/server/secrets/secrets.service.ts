import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { formatPlace, type Place } from '../../domain/crawl/place.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { SecretStore, StoredSecret } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { InvalidConfiguration } from '../configuration/configuration-file.js';
import { findOwnUses, isSecretOf, toSecretPrefix } from '../configuration/part-of-crawlers.js';
import { createInvalidProblem } from '../configuration/write-conditions.js';
import { ProblemException } from '../http/problem.js';
import { CLOCK, ENGINE, SECRET_STORE } from '../tokens.js';
import { requireStorable } from './secret-store.js';

/** A secret, with the places at which the configuration in force refers to it. */
export interface ListedSecret extends StoredSecret {
  readonly uses: readonly Place[];
}

/** The stored secrets and the only ways to change them. */
@Injectable()
export class SecretsService {
  constructor(
    @Inject(SECRET_STORE) private readonly store: SecretStore,
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Those of the crawlers, with their uses as the caller sees them; all without a limit. */
  async list(crawlers?: ReadonlySet<string>): Promise<ListedSecret[]> {
    const secrets = (await this.store.listSecrets()).map((secret) => ({ ...secret, uses: this.findUses(secret.name) }));
    if (!crawlers) return secrets;
    return secrets
      .filter(({ name }) => isSecretOf(this.configuration, name, crawlers))
      .map((secret) => ({ ...secret, uses: findOwnUses(this.configuration, secret.uses, crawlers) }));
  }

  /** @throws ForbiddenException if the caller is limited to crawlers to which the secret does not belong */
  requireOwn(name: string, crawlers: ReadonlySet<string> | undefined): void {
    if (crawlers && !isSecretOf(this.configuration, name, crawlers))
      throw new ForbiddenException(
        `The secret ${name} does not belong to your crawlers. The name of a new one begins with a crawler and a dot: ${[...crawlers].map((crawler) => `${toSecretPrefix(crawler)}password`).join(', ')}.`,
      );
  }

  async find(name: string): Promise<ListedSecret | undefined> {
    return (await this.list()).find((secret) => secret.name === name);
  }

  /**
   * Stores a secret, and puts it in force if the configuration refers to it; this may also make an edit of the file usable.
   * @throws ProblemException 422 if it cannot be stored, or if the configuration would have errors with this value
   */
  async set(name: string, value: string, who: string): Promise<ListedSecret> {
    const secret = { name, setAt: this.clock.now(), setBy: who };
    await this.configuration.runExclusively(async () => {
      try {
        await requireStorable(this.store, name, value);
        await this.requireValidWith(name, value);
      } catch (error) {
        if (error instanceof RangeError) throw new ProblemException('unacceptable', error.message);
        throw error instanceof InvalidConfiguration ? createInvalidProblem(error.problems) : error;
      }
      await this.store.putSecret(secret, value);
    });
    await this.configuration.renewSecrets();
    if (this.configuration.rejectedProblems.length > 0) await this.configuration.reload('file');
    await this.engine.notifyOthers();
    return { ...secret, uses: this.findUses(name) };
  }

  /** @throws ProblemException 404 if there is no such secret, 409 with the places if the configuration refers to it */
  remove(name: string): Promise<void> {
    return this.configuration.runExclusively(async () => {
      const uses = this.findUses(name);
      if (uses.length > 0) throw createUsedSecretProblem(name, uses);
      if (!(await this.store.removeSecret(name)))
        throw new ProblemException('not-found', `There is no secret named ${name}.`);
    });
  }

  private async requireValidWith(name: string, value: string): Promise<void> {
    const { current, file } = this.configuration;
    if (this.findUses(name).length > 0) await file.loadWith(current, new Map([[name, value]]));
  }

  private findUses(name: string): readonly Place[] {
    return this.configuration.current.secretUses.filter((use) => use.name === name).map(({ place }) => place);
  }
}

function createUsedSecretProblem(name: string, places: readonly Place[]): ProblemException {
  const detail = `The configuration refers to the secret ${name} (${places.map(formatPlace).join(', ')}). Remove these references first.`;
  const errors = places.map((place) => ({ detail: `refers to ${name}`, ...place }));
  return new ProblemException('secret-in-use', detail, { errors });
}
