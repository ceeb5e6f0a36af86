import { type FormEvent, type ReactElement, useState } from 'react'
import { wordsOf } from '../api/problem.ts'
import { signIn, useSignInWays } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Logo } from '../parts/logo.tsx'

/** The page behind it comes back as it was: the address stays, and so do drafts. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactElement {
  const [token, setToken] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const providers = useSignInWays().filter(way => way.kind === 'provider')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setTrouble(null)
    try {
      await signIn(token.trim())
      onSignedIn()
    } catch (thrown) {
      setTrouble(wordsOf(thrown))
      setBusy(false)
    }
  }
  return (
    <main className="grid min-h-dvh place-items-center bg-page p-4">
      <form onSubmit={submit} className="w-full max-w-sm rounded-2xl border border-line bg-card p-6 shadow-card sm:p-8">
        <div className="flex items-center gap-3">
          <Logo className="size-9" />
          <h1 className="font-semibold text-xl">Sign in to Holdpoint</h1>
        </div>
        {providers.map(({ title, url }) => (
          <a
            key={url}
            href={`${url}?next=${encodeURIComponent(location.pathname + location.search)}`}
            className="mt-6 flex min-h-11 items-center justify-center rounded-lg border border-line px-4 font-medium text-sm hover:bg-hover"
          >
            Sign in with {title}
          </a>
        ))}
        <p className="mt-3 text-muted text-sm">
          Your token signs what you decide. It is exchanged for a session and then forgotten.
        </p>
        <Field label="Token" error={trouble} className="mt-6">
          {field => (
            <input
              {...field}
              type="password"
              autoComplete="current-password"
              // biome-ignore lint/a11y/noAutofocus: the only field of the page
              autoFocus
              required
              value={token}
              onChange={({ target }) => setToken(target.value)}
            />
          )}
        </Field>
        <Button look="primary" type="submit" busy={busy} className="mt-4 w-full">
          Sign in
        </Button>
        <p className="mt-6 border-line border-t pt-4 text-muted text-sm">
          On the machine of the server, <code className="font-mono text-text">holdpoint inbox</code> signs you in and
          opens this page.
        </p>
      </form>
    </main>
  )
}
