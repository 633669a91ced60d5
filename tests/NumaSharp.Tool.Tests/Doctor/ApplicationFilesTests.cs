using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

public sealed class ApplicationFilesTests : IDisposable
{
    private const string Config = "Shop.Web.runtimeconfig.json";

    private readonly TemporaryFolder _folder = TemporaryFolder.InMemory();

    public void Dispose() => _folder.Dispose();

    // One is a program of Linux, which has no extension.
    [Theory]
    [InlineData(Config)]
    [InlineData("Shop.Web.dll")]
    [InlineData("Shop.Web.exe")]
    [InlineData("Shop.Web")]
    [InlineData("")]
    public void Named_ApplicationOrItsFolder_HasItsFile(string name)
    {
        Write(Config, "Shop.Web.dll", "Shop.Web.exe", "Shop.Web");
        Assert.Equal(_folder.PathOf(Config), ApplicationFiles.Named(_folder.PathOf(name)).RuntimeConfig);
    }

    // Shop is another application than Shop.Cli.
    [Theory]
    [InlineData("Lost", "does not exist")]
    [InlineData("Shop.Cli", "has no Shop.Cli.runtimeconfig.json beside it")]
    [InlineData("Shop.Cli.dll", "has no Shop.Cli.runtimeconfig.json beside it")]
    [InlineData("", "2 applications; name one of Shop.Web.runtimeconfig.json, Shop.runtimeconfig.json")]
    public void Named_WhatHasNoneOrSeveral_IsRefused(string name, string message)
    {
        Write(Config, "Shop.runtimeconfig.json", "Shop.Cli", "Shop.Cli.dll");
        var exception = Assert.Throws<ToolException>(() => ApplicationFiles.Named(_folder.PathOf(name)));
        Assert.Contains(message, exception.Message, StringComparison.Ordinal);
        Assert.Contains("--app", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Named_FolderWithout_IsRefused() => Assert.Contains(
        "has no *.runtimeconfig.json",
        Assert.Throws<ToolException>(() => ApplicationFiles.Named(_folder.Path)).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void FoundFrom_OneApplicationThereOrBesideTheProgram_IsIt(bool isThere)
    {
        Write(Config, "NumaSharp.Tool.runtimeconfig.json");
        using var other = TemporaryFolder.InMemory();
        var found = isThere
            ? ApplicationFiles.FoundFrom(_folder.Path, other.Path)
            : ApplicationFiles.FoundFrom(other.Path, _folder.Path);
        Assert.Equal(_folder.PathOf(Config), found.RuntimeConfig);
        Assert.Null(found.Unread);
    }

    [Fact]
    public void FoundFrom_SeveralApplications_IsNoneAndNamesTheFolder()
    {
        Write(Config, "Else.runtimeconfig.json");
        var found = ApplicationFiles.FoundFrom(_folder.Path, _folder.Path);
        Assert.Null(found.RuntimeConfig);
        Assert.Equal([_folder.PathOf("Else.runtimeconfig.json"), _folder.PathOf(Config)], found.Candidates);
        Assert.Contains(_folder.Path, found.Unread, StringComparison.Ordinal);
    }

    [Fact]
    public void FoundFrom_FolderThatIsNotThere_IsNone() =>
        Assert.Equal(ApplicationFiles.None, ApplicationFiles.FoundFrom(_folder.PathOf("lost"), _folder.PathOf("lost")));

    private void Write(params ReadOnlySpan<string> names)
    {
        foreach (var name in names)
        {
            File.WriteAllText(_folder.PathOf(name), "{}");
        }
    }
}
