import { ApiProperty } from '@nestjs/swagger';
import { PLUGIN_HOOKS, type PluginView } from '../../engine/ports/plugins.js';
import { toIsoTime } from '../http/time.js';

const STATES = ['starting', 'ready', 'failed'];

class PluginCallsDto {
  @ApiProperty({
    enum: PLUGIN_HOOKS,
    description: 'Function of the plug-in; `extract` and `deliver` belong to its extractor and its sink.',
  })
  hook!: string;

  @ApiProperty({ type: 'integer', example: 42, description: 'Calls that succeeded since the server started.' })
  answered!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'Calls that failed (`plugin-failed`).' })
  failed!: number;

  @ApiProperty({ type: 'integer', description: 'Total duration of these calls, including waiting time.' })
  milliseconds!: number;
}

class PluginErrorDto {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ description: 'What failed, with the place in the file of the plug-in if it is known.' })
  message!: string;
}

export class PluginDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'Path of the plug-in module on the server.' })
  file!: string;

  @ApiProperty({
    enum: STATES,
    description:
      '`failed`: the plug-in cannot be loaded, or its process keeps exiting; it is retried, immediately if its file changes.',
  })
  state!: string;

  @ApiProperty({ required: false, description: 'Version, as stated by the plug-in.' })
  version?: string;

  @ApiProperty({ type: [String], enum: PLUGIN_HOOKS, description: 'Functions that the plug-in has.' })
  hooks!: readonly string[];

  @ApiProperty({ type: [PluginCallsDto] })
  calls!: readonly PluginCallsDto[];

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Number of times that the plug-in process ended or had to be stopped.',
  })
  restarts!: number;

  @ApiProperty({
    type: 'integer',
    example: 83_886_080,
    description: 'Memory used by the plug-in process in bytes; 0 if the system does not report it.',
  })
  memory!: number;

  @ApiProperty({ required: false, type: () => PluginErrorDto })
  lastError?: PluginErrorDto;
}

export function toPluginDto({ lastError, ...view }: PluginView): PluginDto {
  if (!lastError) return view;
  return { ...view, lastError: { at: toIsoTime(lastError.at), message: lastError.message } };
}
