import { escapedAsJson } from './visible-text.ts'

/** A document on one line, with its end. Programs read the same JSON, and a terminal obeys and hides none of it. */
export function jsonLine(document: unknown): string {
  return `${escapedAsJson(JSON.stringify(document))}\n`
}
