using System.Diagnostics;

namespace NumaSharp.Benchmarks.Tests.Scripts;

/// <summary>A script of <c>eng</c> in a tree of its own, with programs in place of those that it would start.</summary>
internal sealed class ScriptFolder : IDisposable
{
    private readonly TemporaryFolder _folder;
    private readonly string _script;

    public ScriptFolder(string script)
    {
        ExternalProgram.SkipUnlessThere("bash");
        TemporaryFolder.SkipUnlessProgramsRun();
        _folder = new TemporaryFolder();
        _script = script;
        Directory.CreateDirectory(PathOf("bin"));
        CopyFile($"eng/{script}");
    }

    public string PathOf(string name) => _folder.PathOf(name);

    /// <summary>A program on the script's path; <c>$here</c> is its folder.</summary>
    public void AddProgram(string name, string body) =>
        _folder.AddProgram($"bin/{name}", $"#!/bin/bash\nhere=$(dirname \"$0\")\n{body}\n");

    public void AddFile(string name, string text = "")
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        File.WriteAllText(PathOf(name), text);
    }

    /// <summary>A file of the repository that the script needs, at its place in the tree.</summary>
    public void CopyFile(string name)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        File.Copy(Repository.PathOf(name), PathOf(name));
    }

    /// <summary>Runs it: its own programs come first on the path, and then the system's.</summary>
    public Task<ProgramResult> RunAsync(params string[] arguments)
    {
        var start = new ProcessStartInfo("bash", [PathOf($"eng/{_script}"), .. arguments])
        {
            WorkingDirectory = _folder.Path,
        };
        start.Environment["PATH"] = $"{PathOf("bin")}:{Environment.GetEnvironmentVariable("PATH")}";

        // Of a locale that is not installed bash warns among the errors, and others write numbers and messages in their way.
        start.Environment["LC_ALL"] = "C";
        return ExternalProgram.TryAsync(start);
    }

    public void Dispose() => _folder.Dispose();
}
