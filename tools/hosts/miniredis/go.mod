// The Redis that Argo CD's servers share, in memory: seconds.
module nodefit.dev/tools/hosts/miniredis

go 1.25.0

require github.com/alicebob/miniredis/v2 v2.35.0

require github.com/yuin/gopher-lua v1.1.1 // indirect

tool nodefit.dev/tools/hosts/miniredis
