using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>What a system call returned: a value, or the errno that was read right after the call.</summary>
internal readonly struct SysResult
{
    // Folded as the kernel itself does it: negative values are -errno.
    private readonly nint _value;

    private SysResult(nint value) => _value = value;

    public bool Succeeded => _value >= 0;

    public nint Value => _value;

    public int Errno => _value < 0 ? (int)-_value : 0;

    public bool IsAgain => _value == -Interop.Errno.EAGAIN;

    public bool IsInterrupted => _value == -Interop.Errno.EINTR;

    public string ErrorName => Interop.Errno.NameOf(Errno);

    // The stub of LibraryImport has saved errno right after the call; a runtime that compiles a caller meanwhile changes it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static SysResult FromReturn(nint returned) =>
        new(returned >= 0 ? returned : -Marshal.GetLastPInvokeError());

    public static SysResult FromErrno(int errno) => new(-errno);

    public override string ToString() => Succeeded ? Value.ToString(null, null) : ErrorName;
}
