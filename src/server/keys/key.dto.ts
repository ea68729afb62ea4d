import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import type { Instant } from '../../domain/time/units.js';
import { IfGiven, IsTimestamp } from '../http/fields.js';
import { toOptionalIsoTime } from '../http/time.js';
import { KEY_NAME, ROLES, type Role } from '../security/api-keys.js';
import type { StoredKey } from '../security/key-store.js';

export class NewKeyDto {
  @ApiProperty({ description: 'Name that the audit log shows: letters, digits and `. _ @ -`, at most 64 characters.' })
  @IsString()
  @Matches(KEY_NAME)
  name!: string;

  @ApiProperty({ enum: ROLES, description: 'Each role includes the permissions of the roles before it.' })
  @IsIn(ROLES)
  role!: Role;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'When the key becomes invalid. Absent: it never expires.',
  })
  @IfGiven()
  @IsTimestamp()
  expiresAt?: string;
}

export class KeyDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({
    enum: ['environment', 'api'],
    description: 'Whether the key is one of CRAWLWAY_API_KEYS or was created through the API.',
  })
  from!: string;

  @ApiProperty({ required: false, format: 'date-time' })
  createdAt?: string;

  @ApiProperty({ required: false, description: 'Who created the key.' })
  createdBy?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  expiresAt?: string;

  @ApiProperty({ description: 'Whether the key has expired.' })
  expired!: boolean;
}

export class CreatedKeyDto extends KeyDto {
  @ApiProperty({ description: 'The key; this is the only response that contains it.' })
  key!: string;
}

export const toKeyDto = ({ name, role, createdAt, createdBy, expiresAt }: StoredKey, now: Instant): KeyDto => ({
  name,
  role,
  from: 'api',
  createdAt: toOptionalIsoTime(createdAt),
  createdBy,
  expiresAt: toOptionalIsoTime(expiresAt),
  expired: expiresAt !== undefined && now >= expiresAt,
});
