// Signs the executables for darwin. Some seconds.
module nodefit.dev/tools/hosts/macho-sign

go 1.26.0

tool nodefit.dev/tools/hosts/macho-sign

require github.com/blacktop/go-macho v1.1.296

require github.com/blacktop/go-dwarf v1.1.0 // indirect
