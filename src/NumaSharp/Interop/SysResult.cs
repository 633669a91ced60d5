using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>The result of a system call: a value, or the errno that was read right after the call.</summary>
internal readonly struct SysResult
{
    // Encoded as in the kernel: negative values are -errno.
    private readonly nint _value;

    private SysResult(nint value) => _value = value;

    public bool Succeeded => _value >= 0;

    public nint Value => _value;

    public int Errno => _value < 0 ? (int)-_value : 0;

    public bool IsAgain => _value == -Interop.Errno.EAGAIN;

    public bool IsInterrupted => _value == -Interop.Errno.EINTR;

    public string ErrorName => Interop.Errno.NameOf(Errno);

    // The LibraryImport stub saves errno right after the call; the runtime may change errno later, as by compiling a caller.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static SysResult FromReturn(nint returned) =>
        new(returned >= 0 ? returned : -Marshal.GetLastPInvokeError());

    public static SysResult FromErrno(int errno) => new(-errno);

    public override string ToString() => Succeeded ? Value.ToString(null, null) : ErrorName;
}
