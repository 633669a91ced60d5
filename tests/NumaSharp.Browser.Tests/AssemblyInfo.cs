using NumaSharp.Browser.Tests;

[assembly: AssemblyFixture(typeof(ChromiumFixture))]
