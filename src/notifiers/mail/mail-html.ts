/** The HTML of a mail. Mail programs know few styles, so each element has its own; no script, and nothing is fetched. */
import type { ChangeLine } from '../../core/hold-view/blocks/change-lines.ts'
import type { EffectGroup } from '../../core/notice/notice-body.ts'
import type { NoticeText } from '../../core/notice/notice-text.ts'
import { type Html, html } from '../../core/text/html.ts'

/** A mail in its parts, for both forms. */
export interface MailBody extends Omit<NoticeText, 'title'> {
  /** What the mail does not show, in a sentence; `null` if it shows all. */
  readonly cut: string | null
  /** The page at which this person alone decides; `null` if there is none. */
  readonly link: string | null
  readonly next: readonly NextStep[]
}

/** How a person sees more, or decides elsewhere. */
export interface NextStep {
  readonly text: string
  readonly url: string | null
}

export function mailHtml(title: string, body: MailBody): Html {
  const { asker, act, task, lead, warnings, words, effect, outcome, result, cut } = body
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="font:16px/1.5 sans-serif;margin:0 auto;max-width:40rem;padding:16px">
${said(result?.text ?? null, result?.isFailure ? BAD : STRONG)}
${said(lead, STRONG)}
${said(asker, QUIET)}
<h1 style="font-size:20px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere">${act}</h1>
${said(task, QUIET)}
${warnings.map(warning => said(warning, BAD) as Html)}
${isLong(effect) ? buttons(body) : null}
${said(words, WORDS)}
${effect.map(effectHtml)}
${said(cut, STRONG)}
${body.lines.map(digestLine)}
${outcome === null ? null : said(`It is ${outcome}.`, STRONG)}
${isLong(effect) ? null : buttons(body)}
${body.next.map(nextStep)}
<table style="${SMALL};border-collapse:collapse">${body.facts.map(({ label, value }) => html`<tr><td style="padding:0 12px 0 0;vertical-align:top;white-space:nowrap">${label}</td><td style="overflow-wrap:anywhere">${value}</td></tr>`)}</table>
</body></html>
`
}

/** So many lines leave the buttons on the first screen of a phone. */
const MOST_BEFORE_BUTTONS = 16

/** True if the buttons come before the effect, so that nobody has to look for them. The page of a link shows it again. */
export function isLong(effect: MailBody['effect']): boolean {
  return effect.reduce((sum, { lines }) => sum + lines.length, 0) > MOST_BEFORE_BUTTONS
}

const QUIET = 'margin:0 0 8px;opacity:.75;overflow-wrap:anywhere'
const STRONG = 'margin:0 0 12px;font-weight:bold'
const WORDS = 'margin:12px 0;white-space:pre-wrap;overflow-wrap:anywhere'
const BAD = 'margin:0 0 8px;padding:8px 12px;border-radius:6px;background:#fdecec;color:#8f1d1d;font-weight:bold'
const SMALL = 'font-size:13px;opacity:.75;margin:16px 0 0'

function said(text: string | null, style: string): Html | null {
  return text === null ? null : html`<p style="${style}">${text}</p>`
}

/** Its own background, so that the colours of a change can be read in a dark mail program too. */
const PRE =
  'font:14px/1.5 monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:12px 0;padding:12px;border:1px solid #c9ccd1;border-radius:6px;background:#f4f5f7;color:#1f2328'

const COLOURS: Readonly<Partial<Record<ChangeLine['what'], string>>> = {
  was: '#a1260d',
  is: '#116329',
  place: '#0b57d0',
}

function effectHtml({ lines }: EffectGroup): Html {
  return html`<pre style="${PRE}">${lines.map(lineHtml)}</pre>`
}

function lineHtml({ what, text }: ChangeLine): Html {
  const colour = COLOURS[what]
  return colour === undefined ? html`${text}\n` : html`<span style="color:${colour}">${text}</span>\n`
}

function digestLine({ text, url, hold_id }: NoticeText['lines'][number]): Html {
  const shown = url === null ? html`${text}<br>holdpoint show ${hold_id}` : html`<a href="${url}">${text}</a>`
  return html`<p style="margin:0 0 12px;overflow-wrap:anywhere">${shown}</p>`
}

const LABELS = { approve: 'Approve', respond: 'Answer', reject: 'Reject' } as const

/** They lead to the page of the link, which shows the whole request: nothing is decided by a click in a mail. */
function buttons({ link, offers }: MailBody): Html | null {
  if (link === null) return null
  const verdicts = [...new Set(offers.map(({ verdict }) => verdict))]
  return html`<p style="margin:16px 0 8px">${verdicts.map((verdict, index) => button(`${link}#${verdict}`, LABELS[verdict], index === 0))}</p>
<p style="${QUIET};font-size:13px">They open a page that is yours alone. It counts once: do not pass this mail on.</p>`
}

const BUTTON =
  'display:inline-block;margin:0 8px 8px 0;padding:10px 24px;border:1px solid #0b57d0;border-radius:6px;font-weight:bold;text-decoration:none'

function button(url: string, label: string, isFirst: boolean): Html {
  const colours = isFirst ? 'background:#0b57d0;color:#ffffff' : 'background:#ffffff;color:#0b57d0'
  return html`<a href="${url}" style="${BUTTON};${colours}">${label}</a>`
}

function nextStep({ text, url }: NextStep): Html {
  return html`<p style="${SMALL}">${text}${url === null ? null : html`<br><a href="${url}">${url}</a>`}</p>`
}
