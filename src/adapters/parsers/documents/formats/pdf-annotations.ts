/** Reads text that a PDF page shows without containing it: annotations, form fields, and the appearance of signatures. */
import type { DocumentContent } from '../document-content.js';
import type { Pdfium } from './pdfium.js';

/** Types of annotations (fpdf_annot.h). */
const FREE_TEXT = 3;
const STAMP = 13;
const WIDGET = 20;
/** Types of form fields (fpdf_formfill.h). */
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const PUSH_BUTTON = 1;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const SIGNATURE = 7;
const BUTTONS: ReadonlySet<number> = new Set([PUSH_BUTTON, CHECK_BOX, RADIO_BUTTON]);
/** Types of fields in a document without a form (ISO 32000-1, table 220): buttons also have values, but no text. */
const TEXT_FIELDS = new Set(['Tx', 'Ch']);
/** Flags of annotations that are hidden or not shown on a screen (ISO 32000-1, 12.5.3). */
const HIDDEN_FLAGS = 2 | 32;
/** Maximum numbers of annotations on one page, and of options of one field. */
const MAX_ANNOTATIONS = 2_000;
const MAX_OPTIONS = 2_000;
/** Size in bytes of the buffer for the name of a dictionary entry. */
const KEY_SIZE = 16;
/** The size of FPDF_FORMFILLINFO (fpdf_formfill.h) with room to spare; its version is the first number. */
const FORM_INFO_SIZE = 512;
const FORM_INFO_VERSION = 2;

/** Memory into which PDFium writes. */
export interface Scratch {
  readonly pointer: number;
  readonly size: number;
}

export class PdfAnnotations {
  private form: number | undefined;
  private formInfo = 0;

  constructor(
    private readonly pdfium: Pdfium,
    private readonly document: number,
    private readonly content: DocumentContent,
    private readonly scratch: Scratch,
  ) {}

  close(): void {
    if (this.form) this.pdfium._FPDFDOC_ExitFormFillEnvironment(this.form);
    if (this.formInfo !== 0) this.pdfium.wasmExports.free(this.formInfo);
  }

  /** Adds the text of annotations and fields. Returns the numbers of those whose text is only in their appearance. */
  read(page: number): ReadonlySet<number> {
    const { pdfium, content } = this;
    const drawn = new Set<number>();
    const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
    for (let index = 0; index < count && !content.isFull; index++) {
      const annotation = pdfium._FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      if ((pdfium._FPDFAnnot_GetFlags(annotation) & HIDDEN_FLAGS) === 0) {
        const text = this.readText(annotation);
        if (text === undefined) drawn.add(index);
        else if (text !== '') content.addText(text);
        content.endWord();
      }
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
    return drawn;
  }

  /**
   * Draws these annotations on the page, so that their text can be read as the page's, and removes the others. The page
   * has to be loaded again.
   */
  draw(page: number, indexes: ReadonlySet<number>): boolean {
    const { pdfium } = this;
    for (let index = pdfium._FPDFPage_GetAnnotCount(page) - 1; index >= 0; index--)
      if (!indexes.has(index) && !pdfium._FPDFPage_RemoveAnnot(page, index)) return false;
    return pdfium._FPDFPage_Flatten(page, 0) === 1;
  }

  /** Returns undefined if the text is only in the appearance. */
  private readText(annotation: number): string | undefined {
    const subtype = this.pdfium._FPDFAnnot_GetSubtype(annotation);
    if (subtype === FREE_TEXT) return this.readString(annotation, 'Contents');
    if (subtype === STAMP) return undefined;
    return subtype === WIDGET ? this.readField(annotation) : '';
  }

  private readField(annotation: number): string | undefined {
    const { pdfium } = this;
    const form = this.openForm();
    const type = form === 0 ? -1 : pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
    if (type === SIGNATURE || this.readString(annotation, 'FT') === 'Sig') return undefined;
    if (BUTTONS.has(type)) return '';
    if (type <= 0) return TEXT_FIELDS.has(this.readString(annotation, 'FT')) ? this.readString(annotation, 'V') : '';
    const options = type === COMBO_BOX || type === LIST_BOX ? this.readSelectedOptions(form, annotation) : '';
    if (options !== '') return options;
    return this.readWide((pointer, size) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, pointer, size));
  }

  /** Options have a value for programs and a label, which is what people see. */
  private readSelectedOptions(form: number, annotation: number): string {
    const { pdfium } = this;
    const count = Math.min(pdfium._FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS);
    const labels: string[] = [];
    for (let index = 0; index < count; index++)
      if (pdfium._FPDFAnnot_IsOptionSelected(form, annotation, index))
        labels.push(
          this.readWide((pointer, size) => pdfium._FPDFAnnot_GetOptionLabel(form, annotation, index, pointer, size)),
        );
    return labels.join(' ');
  }

  /** Values of fields can be inherited, which only PDFium's form environment knows; 0 if there is none. */
  private openForm(): number {
    if (this.form !== undefined) return this.form;
    const { pdfium } = this;
    this.formInfo = pdfium.wasmExports.malloc(FORM_INFO_SIZE);
    if (this.formInfo === 0) {
      this.form = 0;
      return 0;
    }
    pdfium.HEAPU8.fill(0, this.formInfo, this.formInfo + FORM_INFO_SIZE);
    pdfium.HEAP32[this.formInfo / 4] = FORM_INFO_VERSION;
    this.form = pdfium._FPDFDOC_InitFormFillEnvironment(this.document, this.formInfo);
    return this.form;
  }

  private readString(annotation: number, key: string): string {
    const { pdfium, scratch } = this;
    pdfium.HEAPU8.set(Buffer.from(`${key}\0`, 'latin1'), scratch.pointer);
    return this.readWide((pointer, size) =>
      pdfium._FPDFAnnot_GetStringValue(annotation, scratch.pointer, pointer, size),
    );
  }

  /** Reads UTF-16 that PDFium writes, with the zero at its end. */
  private readWide(write: (pointer: number, size: number) => number): string {
    const pointer = this.scratch.pointer + KEY_SIZE;
    const size = this.scratch.size - KEY_SIZE;
    const byteCount = write(pointer, size);
    if (byteCount < 4 || byteCount > size) return '';
    const { HEAPU8 } = this.pdfium;
    return Buffer.from(HEAPU8.buffer, HEAPU8.byteOffset + pointer, byteCount - 2).toString('utf16le');
  }
}
