using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.TestKit;

/// <summary>An error in place of the next calls of one name, until it is disposed of. There may be several.</summary>
public sealed class Fault : IDisposable
{
    private const string Compiler = "gcc";

    private static readonly ConcurrentDictionary<Fault, bool> s_armed = new();
    private static readonly ConcurrentDictionary<string, int> s_descriptors = new(StringComparer.Ordinal);

    // Why nothing can be injected; null if faults can be.
    private static string? s_whyNot = $"{Compiler} is not installed.";

    private readonly string _call;
    private readonly int _errno;
    private readonly int? _argument;
    private readonly TaskCompletionSource _met = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _times;
    private readonly Action? _onCall;
    private int _skipped;
    private int _left;

    /// <param name="call">The call.</param>
    /// <param name="errno">What it fails with.</param>
    /// <param name="argument">An option's number or an operation; <see langword="null"/> for any.</param>
    /// <param name="times">How many calls fail.</param>
    /// <param name="skip">How many calls before them do not.</param>
    /// <param name="onCall">
    /// Runs in place of the call, before it fails; with 0 for <paramref name="errno"/>, before it is made.
    /// </param>
    public Fault(string call, int errno, int? argument = null, int times = 1, int skip = 0, Action? onCall = null)
    {
        SkipUnlessInstalled();
        _onCall = onCall;
        _call = call;
        _errno = errno;
        _argument = argument;
        _left = _times = times;
        _skipped = skip;
        s_armed[this] = true;
    }

    /// <summary>Ends when the last of the calls has failed.</summary>
    public Task Met => _met.Task;

    public bool WasMet => _met.Task.IsCompleted;

    /// <summary>How many calls have failed.</summary>
    public int Failed => _times - Math.Max(0, Volatile.Read(ref _left));

    /// <summary>The descriptor of the last call of a name.</summary>
    public static int LastDescriptorOf(string call)
    {
        SkipUnlessInstalled();
        return s_descriptors[call];
    }

    public void Dispose() => s_armed.TryRemove(this, out _);

    /// <summary>
    /// Steps between assemblies and the C library: from a module initializer, before their code runs. Their calls go through
    /// faults.c, which is compiled here; those of the runtime do not.
    /// </summary>
    public static unsafe void Install(params Assembly[] assemblies)
    {
        if (!ExternalProgram.IsThere(Compiler))
        {
            return;
        }

        if (Compile(out s_whyNot) is not { } faults)
        {
            return;
        }

        var setAnswer = (delegate* unmanaged<delegate* unmanaged<byte*, int, int, int>, void>)NativeLibrary.GetExport(
            faults, "set_answer");
        setAnswer(&Answer);
        foreach (var assembly in assemblies)
        {
            NativeLibrary.SetDllImportResolver(assembly, (name, _, _) => name == "libc" ? faults : 0);
        }

        SystemThread.Starter = Start;
    }

    public override string ToString() => $"{_call}: {Errno.NameOf(_errno)}";

    private static void SkipUnlessInstalled()
    {
        if (s_whyNot is not null)
        {
            Assert.Skip(s_whyNot);
        }
    }

    private static nint? Compile(out string? whyNot)
    {
        using var folder = new TemporaryFolder();
        try
        {
            var library = folder.PathOf("faults.so");
            using var compiling = Process.Start(
                Compiler,
                ["-shared", "-fPIC", "-O1", "-o", library, Path.Combine(AppContext.BaseDirectory, "Faults/faults.c")]);
            Assert.True(compiling.WaitForExit(Wait.Limit), $"{Compiler} does not end.");

            // Without the C library's headers (Debian: libc6-dev) it says so on stderr.
            whyNot = compiling.ExitCode == 0 ? null : $"{Compiler} cannot compile a library (Debian: libc6-dev).";
            return whyNot is null ? NativeLibrary.Load(library) : null;
        }
        catch (DllNotFoundException refused)
        {
            // From a folder that is mounted without the right to execute.
            whyNot = $"A library in {folder.Path} cannot be loaded: {refused.Message}";
            return null;
        }
    }

    [SuppressMessage("Usage", "CA2201", Justification = "A fault stands for what the runtime throws.")]
    private static void Start(Thread thread)
    {
        if (Answer("clone", -1, 0) is not 0 and var errno)
        {
            throw new OutOfMemoryException(Errno.NameOf(errno));
        }

        thread.UnsafeStart();
    }

    [UnmanagedCallersOnly]
    private static unsafe int Answer(byte* call, int descriptor, int argument) =>
        Answer(Marshal.PtrToStringUTF8((nint)call)!, descriptor, argument);

    private static int Answer(string call, int descriptor, int argument)
    {
        s_descriptors[call] = descriptor;
        foreach (var (fault, _) in s_armed)
        {
            if (fault.Takes(call, argument))
            {
                fault._onCall?.Invoke();
                return fault._errno;
            }
        }

        return 0;
    }

    private bool Takes(string call, int argument)
    {
        if (call != _call || (_argument is { } wanted && wanted != argument))
        {
            return false;
        }

        if (Interlocked.Decrement(ref _skipped) >= 0)
        {
            return false;
        }

        var left = Interlocked.Decrement(ref _left);
        if (left == 0)
        {
            _met.TrySetResult();
        }

        return left >= 0;
    }
}
