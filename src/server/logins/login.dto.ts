import { ApiProperty } from '@nestjs/swagger';
import type { LoginView } from '../../engine/crawl/logins/logins.js';
import { toIso } from '../http/time.js';

const STATES = ['unused', 'logged-in', 'failing', 'stopped'];
const FAILURES = ['refused', 'locked', 'changed', 'unreachable'];

export class LoginStepDto {
  @ApiProperty({ description: 'What was done.' })
  what!: string;

  @ApiProperty({ required: false, description: 'Where it was sent, without its query.' })
  url?: string;

  @ApiProperty({ required: false, type: 'integer', description: 'HTTP status of the answer.' })
  status?: number;

  @ApiProperty({ required: false, description: 'What the answer contained, or what was missing. Never a secret.' })
  detail?: string;
}

export class LoginDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'How it logs in: `form`, `basic` and the others of docs/LOGINS.md.' })
  type!: string;

  @ApiProperty({ format: 'uri', description: 'Prefix of the URLs it is for.' })
  url!: string;

  @ApiProperty({ description: 'Fetcher that it belongs to.' })
  fetcher!: string;

  @ApiProperty({
    enum: STATES,
    description: '`stopped`: refused, and not retried until a person tests it or its secret changes.',
  })
  state!: string;

  @ApiProperty({
    required: false,
    enum: FAILURES,
    description:
      '`refused`: the user or the secret is wrong; `locked`: the account is; `changed`: the site is not what the configuration expects; `unreachable`: no answer that says anything.',
  })
  failure?: string;

  @ApiProperty({ required: false, description: 'The last failure, in words.' })
  detail?: string;

  @ApiProperty({ type: 'integer', description: 'Refused in a row; three stop the login.' })
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
    lastSuccessAt: toIso(lastSuccess),
    lastAttemptAt: toIso(lastAttempt),
    nextAttemptAt: toIso(nextAttempt),
  };
}
