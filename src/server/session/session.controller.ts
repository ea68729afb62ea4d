import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Operation } from '../http/operation.js';
import { type Answer, boolean, oneOf, ownSchema, text } from '../http/schema.js';
import { LOCAL_CALLER, ROLES } from '../security/api-keys.js';
import { KeyRing } from '../security/key-ring.js';
import { API } from '../tokens.js';
import { SERVER_VERSION } from '../version.js';

const sessionSchema = ownSchema('Session', {
  name: text(
    'operations',
    'Name of the API key, or `user:` and the name of the user who has signed in; `local` if the server has no keys.',
  ),
  role: oneOf(ROLES, 'Each role includes the permissions of the roles before it.'),
  keyWanted: boolean('Whether calls require an API key or a sign-in.'),
  version: text('0.1.0', 'Version of the server.'),
});

@ApiTags('Session')
@Controller(`${API}/session`)
export class SessionController {
  constructor(@Inject(KeyRing) private readonly ring: KeyRing) {}

  @Get()
  @Operation({
    id: 'getSession',
    summary: 'Show who is calling',
    description: 'Name and role of the key sent with the call, so that a client can hide what the role may not do.',
    role: 'read',
  })
  @ApiOkResponse({ schema: sessionSchema.ref })
  get(@Req() request: FastifyRequest): Answer<typeof sessionSchema> {
    const { name, role } = request.caller ?? LOCAL_CALLER;
    return { name, role, keyWanted: !this.ring.isOpen, version: SERVER_VERSION };
  }
}
