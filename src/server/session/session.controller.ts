import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Operation } from '../http/operation.js';
import { LOCAL_CALLER, ROLES, type Role } from '../security/api-keys.js';
import { KeyRing } from '../security/key-ring.js';
import { API } from '../tokens.js';
import { SERVER_VERSION } from '../version.js';

class SessionDto {
  @ApiProperty({
    description:
      'Name of the API key, or `user:` and the name of the user who has signed in; `local` if the server has no keys.',
  })
  name!: string;

  @ApiProperty({ enum: ROLES, description: 'Each role includes the permissions of the roles before it.' })
  role!: Role;

  @ApiProperty({ description: 'Whether calls require an API key or a sign-in.' })
  keyWanted!: boolean;

  @ApiProperty({ description: 'Version of the server.' })
  version!: string;
}

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
  @ApiOkResponse({ type: SessionDto })
  get(@Req() request: FastifyRequest): SessionDto {
    const { name, role } = request.caller ?? LOCAL_CALLER;
    return { name, role, keyWanted: !this.ring.isOpen, version: SERVER_VERSION };
  }
}
