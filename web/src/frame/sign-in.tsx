import { type FormEvent, type ReactElement, useState } from 'react'
import { signIn, useSignInWays } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Logo } from '../parts/logo.tsx'
import { useRequest } from '../parts/use-request.ts'

/** The page below returns as it was: the address and the drafts are kept. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactElement {
  const [token, setToken] = useState('')
  const { busy, trouble, send } = useRequest()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(async () => {
      await signIn(token.trim())
      onSignedIn()
    })
  }
  return (
    <main className="grid min-h-dvh place-items-center bg-page p-4">
      <form onSubmit={submit} className="w-full max-w-sm rounded-2xl border border-line bg-card p-6 shadow-card sm:p-8">
        <Head />
        <Providers />
        <p className="mt-3 text-muted text-sm">
          A token is a password that whoever runs this server made for you. What you decide is recorded under its name,
          and this page does not keep it.
        </p>
        <TextField
          label="Token"
          error={trouble}
          className="mt-6"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={token}
          onChange={setToken}
        />
        <Button look="primary" type="submit" busy={busy} className="mt-4 w-full">
          Sign in
        </Button>
        <p className="mt-6 border-line border-t pt-4 text-muted text-sm">
          No token? If the server runs on this machine, <code className="font-mono text-text">holdpoint inbox</code> in
          a terminal signs you in and opens this page. Otherwise ask whoever runs the server for one.
        </p>
      </form>
    </main>
  )
}

function Head(): ReactElement {
  return (
    <div className="flex items-center gap-3">
      <Logo className="size-9" />
      <h1 className="font-semibold text-xl">Sign in to Holdpoint</h1>
    </div>
  )
}

function Providers(): readonly ReactElement[] {
  const providers = useSignInWays().filter(way => way.kind === 'provider')
  return providers.map(({ title, url }) => (
    <a
      key={url}
      href={`${url}?next=${encodeURIComponent(location.pathname + location.search)}`}
      className="mt-6 flex min-h-11 items-center justify-center rounded-lg border border-line px-4 font-medium text-sm hover:bg-hover"
    >
      Sign in with {title}
    </a>
  ))
}
