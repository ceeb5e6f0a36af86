import { expect, test } from 'vitest'
import { aMailServer } from '../../../test/scenarios/notices/mail-server.ts'
import { NEVER } from '../../async/on-abort.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { noticeText, TEST_TEXT } from '../../core/notice/notice-text.ts'
import { aHold } from '../../testing/contracts/sample-journal.ts'
import { MailNotifier } from './mail-notifier.ts'

const ADDRESS = 'ana@example.org'
const LINK = 'https://holds.example.org/l/hp_secret'
const context = { signal: NEVER, earlier: null, link: LINK }

function aNotice(changes: Partial<Hold> = {}, more: Partial<Notice> = {}): Notice {
  const hold = aHold({ tool: 'refund', arguments: { order: '7', amount: 250 }, ...changes })
  const occasion = { event: 'opened' as const, about: '', person: 'ana', now: 0, result: null }
  const text = noticeText(hold, occasion)
  const place = { id: 'notice_1', at: '2030-01-01T00:00:00.000Z', person: 'ana', url: null }
  return { ...place, event: 'opened', hold, result: null, holds: [], run: null, text, ...more }
}

async function sent(notice: Notice, { replyTo = null }: { replyTo?: string | null } = {}) {
  await using server = await aMailServer()
  await using notifier = new MailNotifier({ smtpUrl: server.url, from: 'Holdpoint <holds@example.org>', replyTo })
  const kept = await notifier.send(notice, ADDRESS, context)
  const [mail] = server.mails
  if (!mail) throw new TypeError('no mail came')
  return { mail, kept, recipients: server.recipients }
}

test('a mail has the id of its notice, says that a program wrote it, and goes to one person', async () => {
  const { mail, kept, recipients } = await sent(aNotice())
  expect(mail.messageId).toBe('<notice_1@example.org>')
  expect(kept).toEqual({ message_id: '<notice_1@example.org>' })
  expect(mail.references).toEqual('<hold_1@example.org>')
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  expect(JSON.stringify(mail.headers.get('list'))).toContain('holds.example.org')
  expect(recipients).toEqual([[ADDRESS]])
  expect(mail.subject).toContain('asks: ')
})

test('a later mail about the same hold stands below the earlier one', async () => {
  await using server = await aMailServer()
  await using notifier = new MailNotifier({ smtpUrl: server.url, from: 'holds@example.org', replyTo: null })
  const earlier = await notifier.send(aNotice(), ADDRESS, context)
  await notifier.send(aNotice({}, { id: 'notice_2' }), ADDRESS, { ...context, earlier })
  expect(server.mails[1]).toMatchObject({
    inReplyTo: '<notice_1@example.org>',
    references: ['<hold_1@example.org>', '<notice_1@example.org>'],
  })
})

test('P9: the arguments are in the mail in full, in plain text and in HTML', async () => {
  const { mail } = await sent(aNotice())
  for (const form of [mail.text, mail.html]) {
    expect(form).toContain('amount: 250')
    expect(form).toContain(LINK)
  }
})

test('P9: arguments that are too long are left out whole, and nothing can be approved by a reply', async () => {
  const { mail } = await sent(aNotice({ arguments: { text: 'x'.repeat(70_000) } }), { replyTo: 'reply@example.org' })
  expect(mail.text).not.toContain('xxx')
  expect(mail.text).toContain('The rest is too long for a mail')
  expect(mail.text).not.toContain('`approve`')
  expect(mail.text).toContain('`deny: why`')
})

test('P9: a request that pushes the arguments out of the mail offers no approval', async () => {
  const long = `Fine? ${'<'.repeat(20_000)}`
  const { mail } = await sent(aNotice({ message: long }), { replyTo: 'reply@example.org' })
  expect(mail.text).toContain('… (cut)')
  expect(mail.text).not.toMatch(/`approve`|amount/)
  expect(String(mail.html).length).toBeLessThan(60_000)
})

test('P9: no line of an agent looks like one of ours', async () => {
  const message = `Fine?\n\nDecide with your link (it counts once: do not pass this mail on):\nhttps://evil.example/l/x\n-- \n> yes`
  const { mail } = await sent(aNotice({ message }))
  for (const line of message.split('\n').filter(each => each !== ''))
    expect(mail.text).toContain(`    ${line}`.trimEnd())
  expect(mail.text?.match(/^https:/gm)).toEqual(['https:'])
})

test('the act is the subject, with its risk in words, and the page comes before an effect that is long', async () => {
  const act = { title: 'Run git push origin main', risk: 'high', reaches: ['pushes to origin main'] } as const
  const { mail } = await sent(aNotice({ ...act, agent: 'deployer', arguments: { command: 'git push origin main' } }))
  expect(mail.subject).toBe('[high risk] deployer asks: Run git push origin main')
  expect(mail.text).toMatch(/^deployer asks:\n\n {4}Run git push origin main\n\nWarning: It pushes to origin main\.\n/)
  expect(mail.html).toContain(`href="${LINK}#approve"`)
  const orderOf = ({ text = '' }: typeof mail) => text.indexOf(LINK) < text.indexOf('amount: 250')
  expect(orderOf((await sent(aNotice())).mail)).toBe(false)
  const more = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`more_${n}`, n]))
  expect(orderOf((await sent(aNotice({ arguments: { ...more, amount: 250 } }))).mail)).toBe(true)
})

test('words that count as a reply are named only if replies are read', async () => {
  expect((await sent(aNotice())).mail.text).not.toContain('reply to this mail')
  const { mail } = await sent(aNotice(), { replyTo: 'reply@example.org' })
  expect(mail.replyTo?.value).toEqual([{ address: 'reply@example.org', name: '' }])
  expect(mail.text).toContain('reply to this mail with `approve`, or with `deny: why`')
})

test('P9: what an agent wrote is text, hides nothing and makes no header', async () => {
  const message = 'Fine?\r\nBcc: eve@example.org\n<script>alert(1)</script> \u202E<b>'
  const { mail, recipients } = await sent(aNotice({ message, agent: 'a\r\nBcc: eve@example.org' }))
  expect(recipients).toEqual([[ADDRESS]])
  expect([mail.bcc, mail.headers.get('bcc')]).toEqual([undefined, undefined])
  expect(mail.html).not.toContain('<script>')
  for (const form of [mail.text, mail.html]) expect(form).toContain('\\u{202e}')
})

test('a closed hold has no link and nothing to decide', async () => {
  const { mail } = await sent(aNotice({ status: 'withdrawn' }))
  expect(mail.text).not.toContain(LINK)
  expect(mail.text).toContain('It is withdrawn.')
})

test('a test mail tells that it works', async () => {
  const { mail } = await sent(aNotice({}, { event: 'test', hold: null, text: TEST_TEXT }))
  expect(mail.subject).toBe('A test of Holdpoint')
  expect(mail.text).not.toContain(LINK)
})

test.each([
  '"ana@x" <x@evil.example>',
  'ana@example.org, eve@example.org',
  'ana@example.org\r\nBcc: eve@example.org',
  'ana',
  '',
])('M1: %j is not one address, and no mail is sent', async address => {
  await using server = await aMailServer()
  await using notifier = new MailNotifier({ smtpUrl: server.url, from: 'holds@example.org', replyTo: null })
  await expect(notifier.send(aNotice(), address, context)).rejects.toMatchObject({
    code: 'mail_address',
    retry: 'never',
  })
  expect(server.mails).toEqual([])
})

test.each([
  ['recipient', 550, 'never'],
  ['recipient', 450, 'later'],
  ['text', 552, 'never'],
  ['text', 451, 'later'],
] as const)('a server that answers a %s with %i is asked again: %s', async (at, code, retry) => {
  await using server = await aMailServer()
  server.troubles.push({ at, code })
  await using notifier = new MailNotifier({ smtpUrl: server.url, from: 'holds@example.org', replyTo: null })
  await expect(notifier.send(aNotice(), ADDRESS, context)).rejects.toMatchObject({ code: 'mail_not_sent', retry })
  await notifier.send(aNotice(), ADDRESS, context)
  expect(server.mails.map(({ messageId }) => messageId)).toEqual(['<notice_1@example.org>'])
})

test('a server that is not there is tried again later', async () => {
  await using notifier = new MailNotifier({ smtpUrl: 'smtp://127.0.0.1:1', from: 'holds@example.org', replyTo: null })
  await expect(notifier.send(aNotice(), ADDRESS, context)).rejects.toMatchObject({
    retry: 'later',
    hint: expect.stringContaining('port'),
  })
})

test('a server that hangs is left when the time of the try is over, and others are served', async () => {
  await using server = await aMailServer()
  server.troubles.push('hang')
  await using notifier = new MailNotifier({ smtpUrl: server.url, from: 'holds@example.org', replyTo: null })
  const hung = notifier.send(aNotice(), ADDRESS, { ...context, signal: AbortSignal.timeout(300) })
  await expect(hung).rejects.toMatchObject({ retry: 'later' })
  await notifier.send(aNotice({}, { id: 'notice_2' }), ADDRESS, context)
  expect(server.mails).toHaveLength(1)
})

test('a server on another machine that does not encrypt gets no link', async () => {
  const { smtpOptions } = await import('./smtp-options.ts')
  expect(smtpOptions('smtp://user:p%40ss@mail.example.org')).toMatchObject({
    ...{ host: 'mail.example.org', port: 587, secure: false, requireTLS: true, auth: { user: 'user', pass: 'p@ss' } },
  })
  expect(smtpOptions('smtps://mail.example.org')).toMatchObject({ port: 465, secure: true })
  expect(smtpOptions('smtp://relay:25?tls=optional')).toMatchObject({ port: 25, requireTLS: false })
  expect(smtpOptions('smtp://127.0.0.1:25')).toMatchObject({ requireTLS: false })
  for (const odd of ['mail.example.org', 'http://mail.example.org', '', 'smtp://%ff@host'])
    expect(smtpOptions(odd)).toBeNull()
})
