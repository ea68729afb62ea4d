import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { download, queryText } from '../../api/client.js';
import { toApiProblem } from '../../state/resource.js';
import { showNotice } from '../../ui/notices.js';
import { type Filters, toQuery } from './filters.js';

const FORMATS = { csv: 'CSV', ndjson: 'NDJSON' } as const;
type Format = keyof typeof FORMATS;

/** Exports all URLs that match the filter as a file. */
export function ExportUrls({ crawler, filters }: { crawler: string; filters: Filters }): JSX.Element {
  const [exportingFormat, setExportingFormat] = useState<Format>();
  const exportAs = async (format: Format): Promise<void> => {
    setExportingFormat(format);
    try {
      const query = queryText({ ...toQuery(filters), format });
      await download(
        `/api/v1/crawlers/${encodeURIComponent(crawler)}/urls/export?${query}`,
        `${crawler}-urls.${format}`,
      );
    } catch (error) {
      showNotice(toApiProblem(error).detail, 'bad');
    } finally {
      setExportingFormat(undefined);
    }
  };
  return (
    <span class="row">
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <button
          key={format}
          type="button"
          class="button small"
          disabled={exportingFormat !== undefined}
          onClick={() => void exportAs(format)}
        >
          {exportingFormat === format ? 'Exporting…' : `Export ${FORMATS[format]}`}
        </button>
      ))}
    </span>
  );
}
