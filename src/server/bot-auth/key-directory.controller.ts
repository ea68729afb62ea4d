import { Controller, Get, Inject, NotFoundException, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { BotAuthDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import { Operation } from '../http/operation.js';
import { type Answer, listOf, oneOf, ownSchema, text } from '../http/schema.js';
import { CLOCK, ENGINE, KEY_DIRECTORY } from '../tokens.js';

const publicKeySchema = ownSchema('PublicKey', {
  kty: oneOf(['OKP'], 'Octet key pair.'),
  crv: oneOf(['Ed25519'], 'Curve of the key.'),
  x: text('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', 'The key, base64url (RFC 8037).'),
  kid: text(
    'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
    'Thumbprint of the key (RFC 7638), used as the `keyid` of signatures.',
  ),
  use: oneOf(['sig'], 'Use of the key: signatures only.'),
});

const keyDirectorySchema = ownSchema('KeyDirectory', { keys: listOf(publicKeySchema, 'The keys, each listed once.') });

type KeyDirectoryAnswer = Answer<typeof keyDirectorySchema>;

/** Creates the directory of the signing keys at the given time; returns undefined if there are none. */
export type CreateKeyDirectory = (
  signers: readonly BotAuthDefinition[],
  now: number,
) => (KeyDirectoryAnswer & { readonly headers: Readonly<Record<string, string>> }) | undefined;

@Controller('.well-known')
export class KeyDirectoryController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(KEY_DIRECTORY) private readonly createDirectory: CreateKeyDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('http-message-signatures-directory')
  @Operation({
    id: 'keyDirectory',
    summary: "Public keys for verifying the crawlers' signed requests (Web Bot Auth)",
    description:
      'A JSON Web Key Set, signed with each of its keys. Sites request the set when they receive a signed request. 404 if no fetcher has a `cw:BotAuth`.',
    role: 'open',
    problems: { 404: 'No requests are signed.' },
  })
  @ApiOkResponse({
    schema: keyDirectorySchema.ref,
    description: 'The keys, as `application/http-message-signatures-directory+json`.',
  })
  listKeys(@Res({ passthrough: true }) reply: FastifyReply): KeyDirectoryAnswer {
    const signers = this.engine.definition.fetchers.flatMap(({ botAuth }) => botAuth ?? []);
    const directory = this.createDirectory(signers, this.clock.now());
    if (!directory) throw new NotFoundException('no requests are signed: no Fetcher has a cw:BotAuth');
    void reply.headers(directory.headers);
    return { keys: directory.keys };
  }
}
