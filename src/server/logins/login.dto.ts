import { ApiProperty } from '@nestjs/swagger';
import type { LoginView } from '../../engine/crawl/logins/logins.js';
import { toOptionalIsoTime } from '../http/time.js';

const STATES = ['unused', 'logged-in', 'failing', 'stopped'];
const FAILURES = ['refused', 'locked', 'changed', 'unreachable'];

export class LoginStepDto {
  @ApiProperty({ description: 'What was done in this step.', example: 'requested a token' })
  what!: string;

  @ApiProperty({ required: false, description: 'URL to which the request was sent, without its query.' })
  url?: string;

  @ApiProperty({ required: false, type: 'integer', description: 'HTTP status of the response.' })
  status?: number;

  @ApiProperty({
    required: false,
    description: 'What the response contained, or what was missing. Never contains a secret.',
  })
  detail?: string;
}

export class LoginDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'How the login works: `form`, `basic` or another type described in docs/LOGINS.md.' })
  type!: string;

  @ApiProperty({ format: 'uri', description: 'Prefix of the URLs for which the login is used.' })
  url!: string;

  @ApiProperty({ description: 'Fetcher to which the login belongs.' })
  fetcher!: string;

  @ApiProperty({
    enum: STATES,
    description: '`stopped`: refused, and not retried until someone tests it or its secret changes.',
  })
  state!: string;

  @ApiProperty({
    required: false,
    enum: FAILURES,
    description:
      '`refused`: the user or the secret is wrong; `locked`: the account is locked; `changed`: the site does not behave as the configuration expects; `unreachable`: there was no meaningful response.',
  })
  failure?: string;

  @ApiProperty({ required: false, description: 'The last failure, in words.' })
  detail?: string;

  @ApiProperty({ type: 'integer', description: 'Consecutive refused attempts; three stop the login.' })
  refused!: number;

  @ApiProperty({ required: false, format: 'date-time' })
  lastSuccessAt?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  lastAttemptAt?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  nextAttemptAt?: string;

  @ApiProperty({ type: [LoginStepDto], description: 'Steps of the last attempt.' })
  steps!: readonly LoginStepDto[];
}

export function toLoginDto({ lastSuccess, lastAttempt, nextAttempt, ...view }: LoginView): LoginDto {
  return {
    ...view,
    lastSuccessAt: toOptionalIsoTime(lastSuccess),
    lastAttemptAt: toOptionalIsoTime(lastAttempt),
    nextAttemptAt: toOptionalIsoTime(nextAttempt),
  };
}
