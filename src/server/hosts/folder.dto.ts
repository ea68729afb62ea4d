import { ApiProperty } from '@nestjs/swagger';
import type { FolderStep } from '../../engine/ports/frontier-store.js';
import { encodeCursor } from '../http/paging.js';
import { toUrlStateDto, UrlStateDto } from '../urls/url-state.dto.js';

export class SubfolderDto {
  @ApiProperty({ description: 'Name with a slash at the end; for the topmost folder, the origin.' })
  name!: string;

  @ApiProperty({ type: 'integer', description: 'URLs anywhere in the folder.' })
  urls!: number;
}

export class FolderDto {
  @ApiProperty({
    type: () => [SubfolderDto],
    description: 'The subfolders; if there are very many, the first that were found.',
  })
  folders!: SubfolderDto[];

  @ApiProperty({ type: 'integer', description: 'URLs in folders beyond those listed.' })
  others!: number;

  @ApiProperty({ type: 'integer', description: 'URLs in the folder itself.' })
  urls!: number;

  @ApiProperty({
    type: () => [UrlStateDto],
    description: 'The first URLs directly in the folder, without those in subfolders.',
  })
  sample!: UrlStateDto[];

  @ApiProperty({ type: 'string', nullable: true, description: 'Cursor of the next step; null after the last one.' })
  next!: string | null;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'Share of the search that has been completed.' })
  searched!: number;
}

export const toFolderDto = ({ folders, others, urls, sample, next, searched }: FolderStep): FolderDto => ({
  folders: [...folders],
  others,
  urls,
  sample: sample.map(toUrlStateDto),
  next: next === undefined ? null : encodeCursor(next),
  searched,
});
