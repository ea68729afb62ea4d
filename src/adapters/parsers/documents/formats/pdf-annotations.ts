/** Reads text that a PDF page shows without containing it: annotations, form fields and signatures. */
import type { Pdfium } from './pdfium.js';

/** Types of annotations (fpdf_annot.h). */
const FREE_TEXT = 3;
const WIDGET = 20;
/** Notes, links, pop-ups and attached files, whose appearance is at most an icon. */
const ICONS: ReadonlySet<number> = new Set([1, 2, 16, 17]);
/** Types of form fields (fpdf_formfill.h). */
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const PUSH_BUTTON = 1;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const BUTTONS: ReadonlySet<number> = new Set([PUSH_BUTTON, CHECK_BOX, RADIO_BUTTON]);
/** The result of FPDFAnnot_GetAP for the appearance as it is normally shown. */
const NORMAL_APPEARANCE = 0;
/** Operators that show text, or another appearance (ISO 32000-1, 9.4.3 and 8.10.1). */
const TEXT_OPERATOR = /[)>\]]\s*(?:T[Jj]|['"])|\/[^\s/]+\s+Do\b/;
/** Numbers and dates are shown in another form than they are stored in. */
const FORMATTED_VALUE = /^[\p{N}\p{P}\p{Sc}\s]*$/u;
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

/** What the annotations of a page show. */
interface AnnotationTexts {
  /** The numbers of those whose appearance has text. */
  readonly drawn: Set<number>;
  /** The values of these, which may be shown in another form. */
  readonly shown: string[];
  /** The values of others. */
  readonly values: string[];
}

const WORD = /[\p{L}\p{N}]+/gu;
const removeSpaces = (text: string): string => text.replace(/\s+/g, '');

/**
 * Returns the values that the text of the page and of its annotations lacks, also because it has a number or a word in
 * separate boxes for its characters.
 */
export function findMissingValues({ shown, values }: AnnotationTexts, text: string): readonly string[] {
  if (shown.length === 0) return values;
  const words = new Set(text.match(WORD));
  const letters = removeSpaces(text);
  const isMissing = (value: string): boolean => {
    const wanted = value.match(WORD) ?? [];
    if (wanted.filter((word) => words.has(word)).length * 2 >= wanted.length) return false;
    return !FORMATTED_VALUE.test(value) || letters.includes(removeSpaces(value));
  };
  return [...shown.filter(isMissing), ...values];
}

export class PdfAnnotations {
  private form: number | undefined;
  private formInfo = 0;

  constructor(
    private readonly pdfium: Pdfium,
    private readonly document: number,
    private readonly scratch: Scratch,
  ) {}

  close(): void {
    if (this.form) this.pdfium._FPDFDOC_ExitFormFillEnvironment(this.form);
    if (this.formInfo !== 0) this.pdfium.wasmExports.free(this.formInfo);
  }

  /** Reads annotations and fields: what is in their appearance counts, and their value if that shows no text. */
  read(page: number): AnnotationTexts {
    const { pdfium } = this;
    const texts: AnnotationTexts = { drawn: new Set(), shown: [], values: [] };
    const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
    for (let index = 0; index < count; index++) {
      const annotation = pdfium._FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      if ((pdfium._FPDFAnnot_GetFlags(annotation) & HIDDEN_FLAGS) === 0) {
        const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
        const type = subtype === WIDGET ? this.readFieldType(annotation) : -1;
        const isDrawn =
          !ICONS.has(subtype) && type !== CHECK_BOX && type !== RADIO_BUTTON && this.hasTextInAppearance(annotation);
        if (isDrawn) texts.drawn.add(index);
        const value = this.readValue(annotation, subtype, type);
        if (value !== '') texts[isDrawn ? 'shown' : 'values'].push(value);
      }
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
    return texts;
  }

  private hasTextInAppearance(annotation: number): boolean {
    const { pointer, size } = this.scratch;
    const byteCount = this.pdfium._FPDFAnnot_GetAP(annotation, NORMAL_APPEARANCE, pointer, size);
    if (byteCount > size) return true;
    const { HEAPU8 } = this.pdfium;
    return TEXT_OPERATOR.test(Buffer.from(HEAPU8.buffer, HEAPU8.byteOffset + pointer, byteCount).toString('utf16le'));
  }

  /**
   * Draws these annotations on the page, so that their text can be read as the page's, and removes the others. The page
   * has to be loaded again.
   */
  draw(page: number, indexes: ReadonlySet<number>): boolean {
    const { pdfium } = this;
    if (indexes.size === 0) return false;
    for (let index = pdfium._FPDFPage_GetAnnotCount(page) - 1; index >= 0; index--)
      if (!indexes.has(index) && !pdfium._FPDFPage_RemoveAnnot(page, index)) return false;
    return pdfium._FPDFPage_Flatten(page, 0) === 1;
  }

  private readFieldType(annotation: number): number {
    const form = this.openForm();
    return form === 0 ? -1 : this.pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
  }

  private readValue(annotation: number, subtype: number, type: number): string {
    const { pdfium } = this;
    if (subtype === FREE_TEXT) return this.readString(annotation, 'Contents');
    if (subtype !== WIDGET || BUTTONS.has(type)) return '';
    if (type <= 0) return TEXT_FIELDS.has(this.readString(annotation, 'FT')) ? this.readString(annotation, 'V') : '';
    const form = this.openForm();
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
