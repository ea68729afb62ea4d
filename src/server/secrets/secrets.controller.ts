import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Audited, type ChangeNote } from '../audit/change-note.js';
import { IsText } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, integer, listOf, ownSchema, schema, text, time } from '../http/schema.js';
import { LOCAL_CALLER } from '../security/api-keys.js';
import { API } from '../tokens.js';
import { type ListedSecret, SecretsService } from './secrets.service.js';

class NewSecretDto {
  @IsText({ description: 'The secret, at most 65,536 bytes.', writeOnly: true, example: 'fGh7Qx2m' })
  value!: string;
}

const placeSchema = ownSchema('SecretUse', {
  file: text('CrawlConfig.xml'),
  line: integer(12),
  column: integer(5),
});

const secretSchema = schema<ListedSecret>()('Secret', {
  name: text('sink-main-password', `Name in references: \`\${secret:NAME}\`.`),
  setAt: time(),
  setBy: text('admin', 'Name of the API key with which it was set; `command line` if no server was running.'),
  uses: listOf(placeSchema, 'Where the configuration in force refers to it.'),
});

type SecretAnswer = Answer<typeof secretSchema>;

const OWN_SECRETS =
  ' A secret belongs to crawlers if only they and their sinks refer to it, or if nothing does and its name begins with the name of one of them and a dot.';

@Controller(`${API}/secrets`)
export class SecretsController {
  constructor(@Inject(SecretsService) private readonly secrets: SecretsService) {}

  @Get()
  @Operation({
    id: 'listSecrets',
    summary: 'Secrets for the configuration',
    description: 'Names, where each secret is used, and when it was set. The secrets themselves are never shown.',
    role: 'admin',
    crawlers: 'handler',
  })
  @PageResponse(secretSchema, 'All secrets, by name.')
  async list(@Req() { crawlers }: FastifyRequest): Promise<Page<SecretAnswer>> {
    return { items: (await this.secrets.list(crawlers)).map(secretSchema.from), next: null };
  }

  @Put(':name')
  @Operation({
    id: 'putSecret',
    summary: 'Set a secret',
    description:
      `Stores a secret, encrypted, or replaces it; the configuration refers to it as \`\${secret:NAME}\`. A replaced secret takes effect at ` +
      'once, also on the other servers that share the database.' +
      OWN_SECRETS,
    role: 'admin',
    crawlers: 'handler',
    problems: {
      422:
        'The name or the value is not valid, there are too many secrets, the server has no key with which to encrypt them, or the ' +
        'configuration in force would have errors with this value (`errors` lists them). Nothing was stored.',
    },
  })
  @ApiOkResponse({ schema: secretSchema.ref })
  async put(
    @Param('name') name: string,
    @Body() { value }: NewSecretDto,
    @Req() request: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<SecretAnswer> {
    this.secrets.requireOwn(name, request.crawlers);
    const before = await this.secrets.find(name);
    const after = await this.secrets.set(name, value, (request.caller ?? LOCAL_CALLER).name);
    const answer = secretSchema.from(after);
    note.recordChange(before && secretSchema.from(before), answer);
    return answer;
  }

  @Delete(':name')
  @HttpCode(204)
  @Operation({
    id: 'removeSecret',
    summary: 'Remove a secret',
    description: `Only a secret to which the configuration in force does not refer can be removed.${OWN_SECRETS}`,
    role: 'admin',
    crawlers: 'handler',
    problems: {
      404: 'There is no secret with that name.',
      409: 'The configuration in force refers to the secret; `errors` lists the places.',
    },
  })
  @ApiNoContentResponse()
  async remove(
    @Param('name') name: string,
    @Req() { crawlers }: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<void> {
    this.secrets.requireOwn(name, crawlers);
    const before = await this.secrets.find(name);
    await this.secrets.remove(name);
    note.recordChange(before && secretSchema.from(before), undefined);
  }
}
