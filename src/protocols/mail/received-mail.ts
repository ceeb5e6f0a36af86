import { foldedAddress, isOneAddress } from '../../core/people/mail-address.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'

/** A mail as the program passes it on that received it. */
export interface ReceivedMail {
  /** Lower case names, in the order of the mail. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The plain text of the mail. */
  readonly text: string
  /** The domains that signed it, as far as their signatures were found good. */
  readonly signedBy: readonly string[]
}

/** The mail in a body such as `{ "headers": [["From", "…"]], "text": "…", "dkim": [{ "domain": "…", "result": "pass" }] }`. */
export function readReceived(body: Json): ReceivedMail | null {
  const mail = isJsonObject(body) && isJsonObject(body['data'] ?? null) ? body['data'] : body
  if (!isJsonObject(mail ?? null)) return null
  const { headers, text, dkim = [] } = mail as { readonly [key: string]: Json }
  if (typeof text !== 'string' || !Array.isArray(headers) || !headers.every(isHeader) || !Array.isArray(dkim))
    return null
  const named = headers as readonly (readonly [string, string])[]
  return {
    headers: named.map(([name, value]) => [name.toLowerCase(), value.replaceAll(/\r?\n[ \t]+/g, ' ').trim()]),
    text,
    signedBy: dkim.flatMap(each =>
      isJsonObject(each) && each['result'] === 'pass' && typeof each['domain'] === 'string'
        ? [foldedAddress(each['domain'])]
        : [],
    ),
  }
}

function isHeader(value: Json): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(each => typeof each === 'string')
}

/** The one value of a header; `null` if there is none, or more than one. */
export function headerOf({ headers }: Pick<ReceivedMail, 'headers'>, name: string): string | null {
  const values = headers.filter(([each]) => each === name)
  return values.length === 1 ? (values[0]?.[1] ?? null) : null
}

/** The one address that wrote it, in lower case; `null` if it names none or several. */
export function senderOf(mail: ReceivedMail): string | null {
  return addressIn(withoutNames(headerOf(mail, 'from')))
}

/** True if it was written to one of these addresses. Most domains sign that, and none signs which mail it answers. */
export function isSentTo(mail: ReceivedMail, addresses: readonly string[]): boolean {
  const readers = ['to', 'cc'].flatMap(name => withoutNames(headerOf(mail, name)).split(',').map(addressIn))
  return addresses.some(address => readers.includes(foldedAddress(address)))
}

/** The date in the header, in milliseconds since 1970; `null` without one. */
export function writtenAt(mail: ReceivedMail): number | null {
  const at = Date.parse(headerOf(mail, 'date')?.replaceAll(/\([^()]*\)/g, '') ?? '')
  return Number.isNaN(at) ? null : at
}

/** Removes quoted names and comments, which may have any content. */
function withoutNames(header: string | null): string {
  return header?.replaceAll(/"(?:[^"\\]|\\.)*"|\([^()]*\)/g, '') ?? ''
}

/** In lower case; `null` if the text is not one address. */
function addressIn(text: string): string | null {
  const inner = /^[^<>,;:]*<([^<>]*)>$/.exec(text.trim())?.[1] ?? text.trim()
  return isOneAddress(inner) ? foldedAddress(inner) : null
}

/** True if the domain of this address, or one above it, signed the mail: anyone can write any name into a mail. */
export function isSignedFor({ signedBy }: Pick<ReceivedMail, 'signedBy'>, address: string): boolean {
  const domain = address.split('@').at(-1) ?? ''
  return signedBy.some(each => domain === each || (each.includes('.') && domain.endsWith(`.${each}`)))
}

/** The ids of the mails that it answers, the nearest first. */
export function answeredIds(mail: ReceivedMail): readonly string[] {
  const idsIn = (name: string) =>
    [...(headerOf(mail, name) ?? '').matchAll(/<([^<>@\s]+)@[^<>\s]+>/g)].map(([, id = '']) => id)
  return [...idsIn('in-reply-to'), ...idsIn('references').toReversed()]
}

/** Programs answer too: that a person is away is no answer of theirs. */
export function isAutomatic(mail: ReceivedMail): boolean {
  const said = (name: string) => mail.headers.find(([each]) => each === name)?.[1].toLowerCase() ?? null
  return (
    (said('auto-submitted') ?? 'no') !== 'no' ||
    ['bulk', 'junk', 'list', 'auto_reply'].includes(said('precedence') ?? '') ||
    ['x-autoreply', 'x-autorespond', 'x-auto-response', 'x-failed-recipients'].some(name => said(name) !== null) ||
    said('return-path') === '<>'
  )
}
