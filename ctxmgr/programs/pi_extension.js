// Loaded by pi that `ctxmgr run` starts: one provider is asked at another address; its models and keys stay.
export default function (pi) {
  pi.registerProvider(process.env.CTXMGR_PI_PROVIDER, { baseUrl: process.env.CTXMGR_PI_URL });
}
