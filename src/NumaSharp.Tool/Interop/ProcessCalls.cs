using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    /// <summary>execve(2); returns only on failure.</summary>
    public static unsafe SysResult Execute(string path, IReadOnlyList<string> arguments, IReadOnlyList<string> environment)
    {
        var argv = ToNative(arguments);
        var envp = ToNative(environment);
        try
        {
            return SysResult.FromReturn(Execve(path, argv, envp));
        }
        finally
        {
            Free(argv);
            Free(envp);
        }
    }

    private static unsafe byte** ToNative(IReadOnlyList<string> texts)
    {
        var pointers = (byte**)NativeMemory.Alloc((nuint)texts.Count + 1, (nuint)sizeof(byte*));
        for (var i = 0; i < texts.Count; i++)
        {
            pointers[i] = (byte*)Marshal.StringToCoTaskMemUTF8(texts[i]);
        }

        pointers[texts.Count] = null;
        return pointers;
    }

    private static unsafe void Free(byte** pointers)
    {
        for (var pointer = pointers; *pointer is not null; pointer++)
        {
            Marshal.FreeCoTaskMem((nint)(*pointer));
        }

        NativeMemory.Free(pointers);
    }

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int Execve(string path, byte** argv, byte** envp);
}
