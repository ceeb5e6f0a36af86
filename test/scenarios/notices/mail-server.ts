import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

export interface MailTrouble {
  /** What the server says to a recipient, or to the text of a mail, instead of taking it. */
  readonly at: 'recipient' | 'text'
  readonly code: number
}

export interface MailServer extends AsyncDisposable {
  readonly url: string
  /** Mails that were taken, as a mail program reads them, in the order in which they came. */
  readonly mails: readonly ParsedMail[]
  /** Addresses of each envelope. */
  readonly recipients: readonly string[][]
  /** For each of the next mails, one. */
  readonly troubles: (MailTrouble | 'hang' | 'cut')[]
}

/** A mail server on this machine that speaks real SMTP. */
export async function aMailServer(): Promise<MailServer> {
  const mails: ParsedMail[] = []
  const recipients: string[][] = []
  const troubles: MailServer['troubles'] = []
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], closeTimeout: 1 },
    onRcptTo: (_address, _session, done) => {
      const [next] = troubles
      if (typeof next !== 'object' || next.at !== 'recipient') return done()
      troubles.shift()
      done(refusal(next.code))
    },
    onData: (stream, session, done) => {
      const next = troubles.shift()
      if (next === 'hang') return void stream.resume()
      if (next === 'cut') return void stream.destroy()
      simpleParser(stream).then(mail => {
        if (next) return done(refusal(next.code))
        mails.push(mail)
        recipients.push(session.envelope.rcptTo.map(({ address }) => address))
        done()
      }, done)
    },
  })
  server.on('error', () => {})
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  const listener = server.listen(0, '127.0.0.1', resolve)
  await listening
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    ...{ url: `smtp://127.0.0.1:${port}`, mails, recipients, troubles },
    [Symbol.asyncDispose]: async () => {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>()
      server.close(done)
      for (const connection of server.connections) connection.close()
      await closed
    },
  }
}

function refusal(responseCode: number): Error {
  return Object.assign(new Error('not today'), { responseCode })
}
